//! The two angles of a limb as a map, how far its end is from the target as
//! colour, and the ways of the solvers down into it.

use egui::{Color32, Mesh, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, Vec2};

use super::Posed;
use crate::{
    math::ik::ChainSolver,
    posing::{ChainSpace, DragSolver},
    ui::{theme, widgets},
};

/// Cells of the map, either way.
const CELLS: usize = 60;
/// Ways by solver, in the order that they are offered.
const WAYS: [Color32; 4] = [
    Color32::WHITE,
    Color32::from_rgb(255, 93, 58),
    Color32::from_rgb(255, 176, 0),
    Color32::from_rgb(255, 122, 217),
];

pub(super) fn map_ui(ui: &mut Ui, posed: Posed<'_>) {
    let Some((joint, target, before)) = posed.pose.posing.sent() else {
        ui.weak("Drag a hand or a foot, or send it somewhere: its two angles are drawn here.");
        return;
    };
    let solvers = match posed.pose.posing.solver() {
        DragSolver::WholeBody => ChainSolver::ALL.to_vec(),
        DragSolver::Chain { solver, .. } => vec![solver],
    };
    let sent = (joint, target.into());
    let Some(found) = ChainSpace::of(posed.skeleton, sent, before, &solvers) else {
        ui.weak("Two bones make a map: a hand or a foot has them.");
        return;
    };
    let side = ui.available_width().min(260.0);
    let (area, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::hover());
    widgets::named(response, Role::Image, "Map of both angles");
    paint(ui, area, &found);
    legend_ui(ui, &found);
}

fn paint(ui: &Ui, area: Rect, found: &ChainSpace) {
    let painter = ui.painter().with_clip_rect(area.intersect(ui.clip_rect()));
    let cell = area.size() / CELLS as f32;
    let mut mesh = Mesh::default();
    for (row, heights) in found.heights(CELLS).iter().enumerate() {
        for (column, height) in heights.iter().enumerate() {
            let corner = Vec2::new(column as f32, (CELLS - 1 - row) as f32) * cell;
            let rect = Rect::from_min_size(area.min + corner, cell);
            mesh.add_colored_rect(rect, colour(*height));
        }
    }
    painter.add(Shape::mesh(mesh));
    let place = |angles: [f32; 2]| -> Pos2 {
        let share = angles.map(|it| it / std::f32::consts::TAU + 0.5);
        area.min + area.size() * Vec2::new(share[0], 1.0 - share[1])
    };
    for way in &found.ways {
        let points: Vec<Pos2> = way.angles.iter().map(|it| place(*it)).collect();
        let colour = way_colour(way.solver);
        for point in &points {
            painter.circle_filled(*point, 2.0, colour);
        }
        painter.add(Shape::line(points, Stroke::new(1.5, colour)));
    }
    for solution in found.space.solutions().into_iter().flatten() {
        painter.circle_stroke(place(solution), 5.0, Stroke::new(2.0, Color32::WHITE));
    }
}

fn legend_ui(ui: &mut Ui, found: &ChainSpace) {
    let colours = theme::palette(ui.style());
    for way in &found.ways {
        ui.horizontal(|ui| {
            let (spot, _) = ui.allocate_exact_size(Vec2::splat(10.0), Sense::hover());
            ui.painter().rect_filled(spot, 2.0, way_colour(way.solver));
            let error_mm = way.solved.error_m * 1000.0;
            let rounds = way.solved.rounds;
            ui.label(format!(
                "{}: {rounds} rounds, {error_mm:.1} mm",
                way.solver.name()
            ));
        });
    }
    let says = "Across: the upper bone, from straight down; up: the bend, ±180°. Dark is near the \
                target, rings are on it";
    widgets::note(ui, says, colours.quiet);
}

fn way_colour(solver: ChainSolver) -> Color32 {
    let index = ChainSolver::ALL.iter().position(|it| *it == solver);
    WAYS[index.unwrap_or_default() % WAYS.len()]
}

fn colour(height: f32) -> Color32 {
    let low = Color32::from_rgb(46, 10, 90);
    let middle = Color32::from_rgb(38, 130, 142);
    let high = Color32::from_rgb(253, 231, 37);
    match height < 0.5 {
        true => low.lerp_to_gamma(middle, height * 2.0),
        false => middle.lerp_to_gamma(high, height * 2.0 - 1.0),
    }
}
