//! What every display option does to the picture, and where.

use image::{Rgba, RgbaImage};
use kinetoscope::assert_close;

use crate::pictures::{
    Area, SIDE, brightness, draw, draw_with, excess, figure, figure_of, is_white, plain,
};

/// Skin is lit grey-beige on a dark ground.
fn skin(picture: &RgbaImage) -> Area {
    let pale = |pixel: &Rgba<u8>| pixel[0].abs_diff(pixel[2]) < 50;
    Area::of(picture, |pixel| brightness(pixel) > 110 && pale(pixel))
}

/// Colours that neither skin nor ground has.
fn vivid(picture: &RgbaImage) -> Area {
    Area::of(picture, |pixel| {
        (0..3).any(|channel| excess(pixel, channel) > 40)
    })
}

#[test]
fn the_skeleton_is_drawn_through_the_skin() {
    let picture = draw(&["--skeleton"]);
    let changed = Area::changed(plain(), &picture);
    assert!(vivid(plain()).count() == 0 && vivid(&picture).count() > 200);
    assert_eq!(changed.without(&figure().grown(3)).count(), 0);
    assert!(skin(&picture).count() * 2 > skin(plain()).count());
}

#[test]
fn the_skeleton_alone_has_no_skin() {
    let picture = draw(&["--skeleton-only"]);
    let (before, after) = (skin(plain()).count(), skin(&picture).count());
    assert!(before > 2000 && after * 20 < before, "{before}, {after}");
    let bones = vivid(&picture);
    assert!(bones.count() > 200);
    assert_eq!(bones.without(&figure().grown(3)).count(), 0);
    // Skin that is not there throws no shadow.
    assert!(Area::darker(&picture, plain()).without(figure()).count() > 200);
}

#[test]
fn axes_are_red_green_and_blue_at_the_joints() {
    let picture = draw(&["--axes"]);
    for channel in 0..3 {
        let axis = Area::of(&picture, |pixel| excess(pixel, channel) > 60);
        assert!(axis.count() > 40, "channel {channel}: {}", axis.count());
    }
    let changed = Area::changed(plain(), &picture);
    assert_eq!(changed.without(&figure().grown(10)).count(), 0);
}

#[test]
fn names_are_written_beside_the_figure() {
    let picture = draw(&["--names"]);
    let text = Area::of(&picture, is_white);
    let before = Area::of(plain(), is_white).count();
    assert!(text.count() > before + 300, "{} white", text.count());
    let outside = text.without(&figure().grown(2));
    assert!(outside.count() * 2 > text.count());
    // Around it, not on one side.
    let ([left, right, ..], [first, last, ..]) = (outside.bounds(), figure().bounds());
    assert!(left < first && right > last);
}

#[test]
fn the_path_of_the_root_runs_at_the_height_of_the_hips() {
    let side = ["--view", "side"];
    let picture = draw(&[&side[..], &["--trajectory"]].concat());
    let changed = Area::changed(&draw(&side), &picture);
    let figure = figure_of(&side);
    assert!(changed.without(&figure).count() > 20);
    let [.., top, bottom] = figure.bounds();
    let [.., first, last] = changed.bounds();
    let third = (bottom - top) / 3;
    assert!(
        first > top + third && last < bottom - third,
        "{first}..{last} of {top}..{bottom}"
    );
}

#[test]
fn ghosts_before_are_blue_and_after_orange() {
    let side = ["--view", "side"];
    let picture = draw(&[&side[..], &["--ghosts", "1", "--ghost-step", "0.15"]].concat());
    let changed = Area::changed(&draw(&side), &picture);
    let figure = figure_of(&side);
    let blue = Area::of(&picture, |pixel| excess(pixel, 2) > 8).and(&changed);
    let orange = Area::of(&picture, |pixel| pixel[0] > pixel[2].saturating_add(25));
    let orange = orange.and(&changed);
    assert!(blue.count() > 500 && orange.count() > 500);
    // Seen from its right the runner runs to the left… whichever side it is,
    // they lie on two sides of it.
    let (behind, now, ahead) = (blue.centre().0, figure.centre().0, orange.centre().0);
    assert!(
        (behind - now) * (ahead - now) < 0.0,
        "{behind} {now} {ahead}"
    );
}

#[test]
fn colliders_are_wires_around_the_body() {
    let picture = draw(&["--colliders"]);
    let wires = Area::of(&picture, |pixel| excess(pixel, 1) > 30);
    assert!(wires.count() > 400, "{}", wires.count());
    assert_eq!(wires.without(&figure().grown(8)).count(), 0);
    let changed = Area::changed(plain(), &picture);
    assert_eq!(changed.without(&figure().grown(8)).count(), 0);
}

#[test]
fn without_shadows_the_floor_by_the_feet_is_brighter() {
    let picture = draw(&["--no-shadows"]);
    assert_eq!(Area::darker(plain(), &picture).count(), 0);
    let floor = Area::changed(plain(), &picture).without(&figure().grown(1));
    assert!(floor.count() > 300, "{}", floor.count());
    assert!(floor.brightening(plain(), &picture) > 10.0);
    let ([.., top, bottom], [.., first, _]) = (figure().bounds(), floor.bounds());
    assert!(
        first > (top + bottom) / 2,
        "{first} is above {top}..{bottom}"
    );
}

#[test]
fn without_occlusion_only_corners_and_contacts_are_brighter() {
    let picture = draw(&["--no-occlusion"]);
    assert_eq!(Area::darker(plain(), &picture).count(), 0);
    let changed = Area::changed(plain(), &picture);
    assert!(changed.count() > 100, "{}", changed.count());
    assert_eq!(changed.without(&figure().grown(30)).count(), 0);
}

#[test]
fn seams_are_thin_dark_lines_on_the_skin() {
    let picture = draw(&["--no-seams"]);
    assert_eq!(Area::darker(plain(), &picture).count(), 0);
    let changed = Area::changed(plain(), &picture);
    assert_eq!(changed.without(figure()).count(), 0);
    let share = changed.count() as f64 / figure().count() as f64;
    assert!((0.005..0.2).contains(&share), "{share} of the figure");
}

/// How far the brightness of a row's background spreads, at most.
fn spread(picture: &RgbaImage) -> i32 {
    let around = figure().grown(4);
    let background = Area::of(picture, |_| true).without(&around);
    let mut rows = vec![(i32::MAX, i32::MIN); SIDE as usize];
    for (x, y) in background.pixels() {
        let light = brightness(picture.get_pixel(x, y));
        let (least, most) = &mut rows[y as usize];
        (*least, *most) = ((*least).min(light), (*most).max(light));
    }
    rows.into_iter()
        .map(|(least, most)| most - least)
        .max()
        .unwrap()
}

#[test]
fn without_ground_nothing_but_the_sky_is_behind() {
    let picture = draw(&["--no-ground"]);
    // A sky is even in a row; a ground has lines and a shadow.
    assert!(spread(plain()) > 12 && spread(&picture) < 6);
    let inner = figure().shrunk(2);
    assert!(Area::changed(plain(), &picture).and(&inner).count() * 10 < inner.count());
}

#[test]
fn a_transparent_picture_keeps_figure_and_shadow() {
    let picture = draw(&["--transparent"]);
    let clear = Area::of(&picture, |pixel| pixel[3] == 0);
    assert!(clear.count() * 2 > (SIDE * SIDE) as usize);
    let inner = figure().shrunk(1);
    let opaque = Area::of(&picture, |pixel| pixel[3] == 255);
    assert_eq!(inner.without(&opaque).count(), 0);
    assert_eq!(Area::changed(plain(), &picture).and(&inner).count(), 0);
    let soft = Area::of(&picture, |pixel| (1..255).contains(&pixel[3]));
    assert!(soft.without(figure()).count() > 200, "a shadow");
}

#[test]
fn the_light_theme_brightens_what_is_around() {
    let picture = draw(&["--theme", "light"]);
    let around = Area::of(plain(), |_| true).without(&figure().grown(2));
    let (there, here) = (
        around.brightening(plain(), &picture),
        figure().brightening(plain(), &picture),
    );
    assert!(
        there > 80.0 && there > 2.0 * here.abs(),
        "{there} and {here}"
    );
}

#[test]
fn light_models_and_skinning_change_the_skin_alone() {
    let pictures = [
        ["--shading", "phong"],
        ["--shading", "blinn"],
        ["--skinning", "linear"],
    ]
    .map(|options| draw(&options));
    for picture in &pictures {
        let changed = Area::changed(plain(), picture);
        assert!(changed.count() > 10);
        // Linear skinning moves the silhouette, and with it the shadow.
        let outside = changed.without(&figure().grown(2)).count();
        assert!(outside * 50 < figure().count(), "{outside}");
    }
    let [phong, blinn, linear] = &pictures;
    assert!(Area::changed(phong, blinn).count() > 20);
    let changed = |picture| Area::changed(plain(), picture).count();
    assert!(changed(phong) > 10 * changed(linear));
}

#[test]
fn a_caption_is_written_in_the_corner_and_nowhere_else() {
    let picture = draw(&["--caption", "frame"]);
    let [left, right, top, bottom] = Area::changed(plain(), &picture).bounds();
    assert!(
        right < SIDE / 2 && top > SIDE * 3 / 4,
        "{left}..{right} {top}..{bottom}"
    );
    assert!(
        Area::of(&picture, is_white)
            .without(&figure().grown(2))
            .count()
            > 20
    );
}

#[test]
fn views_are_those_of_their_names() {
    let [front, side, top] = ["front", "side", "top"].map(|view| figure_of(&["--view", view]));
    let width = |area: &Area| {
        let [first, last, ..] = area.bounds();
        f64::from(last - first)
    };
    assert!(
        width(&side) > width(&front),
        "a runner's step is seen from the side"
    );
    let upright = |area: &Area| area.height() / width(area);
    assert!(
        upright(&top) < 0.8 * upright(&front),
        "from above nobody is tall"
    );
    // A quarter turn from the side is the front, framed for the side.
    let turned = figure_of(&["--view", "side", "--azimuth", "-90"]);
    assert_close!(upright(&turned) / upright(&front), 1.0, 0.05);
    let raised = figure_of(&["--view", "front", "--elevation", "60"]);
    assert!(raised.height() < 0.9 * front.height());
}

#[test]
fn zoom_look_at_and_samples() {
    let far = figure_of(&["--zoom", "0.5"]);
    let ratio = far.height() / figure().height();
    assert!((0.42..0.58).contains(&ratio), "{ratio}");
    let head = figure_of(&["--look-at", "head", "--zoom", "0.5"]);
    let [.., top, _] = head.bounds();
    let off = f64::from(top) - f64::from(SIDE) / 2.0;
    assert!(
        off.abs() < f64::from(SIDE) / 8.0,
        "the head is {off} pixels off"
    );
    let alone = ["--transparent", "--no-ground", "--size", "240x240"];
    let rim = |samples| {
        let picture = draw_with(&[&alone[..], &["--samples", samples]].concat());
        Area::of(&picture, |pixel| (1..255).contains(&pixel[3])).count()
    };
    assert_eq!(rim("1"), 0);
    assert!(rim("4") > 100);
}

#[test]
fn a_cape_is_cloth_and_tells_how_far_it_is_stretched() {
    let cape = ["--cloth", "cape", "--cloth-lead", "0.3"];
    let plainly = draw(&cape);
    let stretch = draw(&[&cape[..], &["--cloth-stretch"]].concat());
    let red = |picture| Area::of(picture, |pixel| excess(pixel, 0) > 30);
    let cloth = red(&plainly).without(&red(plain()));
    assert!(cloth.count() > 300, "{}", cloth.count());
    let cool = Area::of(&stretch, |pixel| excess(pixel, 0) < 0);
    assert!(
        cool.and(&cloth).count() * 2 > cloth.count(),
        "little is stretched"
    );
}

#[test]
fn a_blanket_shows_where_it_touches() {
    let blanket = ["--cloth", "blanket", "--cloth-lead", "1"];
    let plainly = draw(&blanket);
    let contacts = draw(&[&blanket[..], &["--cloth-contacts"]].concat());
    let cloth = Area::of(&plainly, |pixel| excess(pixel, 1) > 10);
    assert!(cloth.count() > 1000, "{}", cloth.count());
    let touching = Area::changed(&plainly, &contacts);
    assert!(touching.count() > 10 && touching.count() * 4 < cloth.count());
    assert_eq!(touching.without(&cloth.grown(3)).count(), 0);
    // Around a point that touches the red fades into the cloth's own green.
    let red = Area::of(&contacts, |pixel| excess(pixel, 0) > 0);
    let (red, all) = (red.and(&touching).count(), touching.count());
    assert!(red * 2 > all, "{red} of {all}");
}

/// A run and a walk, with more options.
fn two_motions(options: &[&str]) -> RgbaImage {
    let asset = |name: &str| format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"));
    let files = ["performer.asf", "clips/run.amc", "clips/forward.amc"].map(asset);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let quality = ["--frame", "60", "--size", "240x240", "--samples", "1"];
    draw_with(&[&files[..], &quality, options].concat())
}

#[test]
fn a_second_motion_stands_see_through_beside_the_first() {
    let (alone, both) = (two_motions(&[]), two_motions(&["--compare"]));
    let beside = Area::changed(&alone, &both).without(&skin(&alone).grown(2));
    assert!(beside.count() > 500);
    let bluish = Area::of(&both, |pixel| excess(pixel, 2) > 8);
    assert!(bluish.and(&beside).count() > 400);
}

#[test]
fn errors_colour_the_skin_by_a_scale_that_is_shown() {
    let figure = skin(&two_motions(&[]));
    for (most_cm, channel) in [("5", 0), ("5000", 2)] {
        let picture = two_motions(&["--errors", most_cm]);
        let coloured = Area::of(&picture, |pixel| excess(pixel, channel) > 40);
        let on_skin = coloured.and(&figure);
        // The key hides the feet.
        assert!(on_skin.count() * 3 > figure.count(), "{most_cm} cm");
        let [.., first, _] = coloured.without(&figure.grown(12)).bounds();
        assert!(first > SIDE * 2 / 3, "the key is at the bottom: {first}");
        assert!(Area::of(&picture, |pixel| excess(pixel, 1) > 40).count() > 20);
    }
}
