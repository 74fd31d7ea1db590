//! Everybody else in a scene of a driven character: as a script, or the window,
//! asks for them.

use std::path::PathBuf;

use super::{DrivenCharacter, LoadError, LoadOptions, Loaded, LoadedMotion, load, performer_clip};
use crate::{
    animator::cast::{Cast, Member, Role, STRUCK},
    body::BodyCache,
    clip::Planar,
    scene::{Bond, Character, ClipTiming, Scene},
};
use glam::DVec2;

/// Metres from one character to the next.
const APART_M: f64 = 1.3;

/// Puts the members of a cast into the scene of the lead, whom they follow in
/// the order of their lines.
pub fn join_cast(
    scene: &mut Scene,
    cast: &Cast,
    (lead, options): (&DrivenCharacter, LoadOptions),
    bodies: &mut BodyCache,
) -> Result<(), LoadError> {
    for (index, member) in cast.members.iter().enumerate() {
        let character = match &member.role {
            Role::Drive => driven(lead, member, index, bodies),
            Role::Play { clip, start_secs } => {
                let mut character = playing(clip, &member.name, options, bodies)?;
                character.staging.timing = ClipTiming {
                    start_secs: *start_secs,
                    rate: member.rate,
                };
                character.stand_at(member.at.unwrap_or_else(|| beside(index)));
                character
            }
            Role::Struck { clip, .. } => playing(clip, &member.name, options, bodies)?,
        };
        scene.characters.push(character);
        if let Role::Struck { by, event, .. } = &member.role {
            let striker = cast.place_of(by).unwrap_or_default();
            bind_last(scene, (striker, event), member.rate, member.at);
        }
    }
    Ok(())
}

/// Binds the last character of a scene to somebody's event; it stands where
/// told, or where the blow will end.
pub fn bind_last(
    scene: &mut Scene,
    (striker, event): (usize, &str),
    rate: f64,
    at: Option<Planar>,
) {
    let index = scene.characters.len() - 1;
    let struck = &mut scene.characters[index];
    if let Some(at) = at {
        struck.stand_at(at);
    }
    let events = &struck.staging.events;
    let felt = events.find(STRUCK).or_else(|| events.find(event));
    let felt_secs = felt.unwrap_or(0.0);
    let bond = Bond::new((striker, event), (index, struck), felt_secs, rate);
    scene.bind(bond, at.is_none());
}

fn driven(
    lead: &DrivenCharacter,
    member: &Member,
    index: usize,
    bodies: &mut BodyCache,
) -> Character {
    let mut character = lead.character(bodies);
    character.name.clone_from(&member.name);
    character.stand_at(member.at.unwrap_or_else(|| beside(index)));
    character.hear(&member.script);
    character
}

/// Right and left of the lead in turn, who looks along +Z.
#[must_use]
pub fn beside(index: usize) -> Planar {
    let steps = (index / 2 + 1) as f64;
    let side = if index.is_multiple_of(2) { -1.0 } else { 1.0 };
    Planar {
        position: DVec2::new(side * steps * APART_M, 0.0),
        heading: 0.0,
    }
}

/// Somebody who plays a clip of the performer's, or a file.
pub fn playing(
    clip: &str,
    name: &str,
    options: LoadOptions,
    bodies: &mut BodyCache,
) -> Result<Character, LoadError> {
    let motion = match performer_clip(clip, options)? {
        Some(motion) => motion,
        None => first_motion(clip, options)?,
    };
    let mut character = motion.character(bodies);
    name.clone_into(&mut character.name);
    character.staging.events = motion.events();
    Ok(character)
}

fn first_motion(path: &str, options: LoadOptions) -> Result<LoadedMotion, LoadError> {
    let path = PathBuf::from(path);
    for (_, outcome) in load(std::slice::from_ref(&path), options) {
        if let Loaded::Motion(motion) = outcome? {
            return Ok(*motion);
        }
    }
    Err(LoadError::Animator {
        message: "there is no motion for a character to play".to_owned(),
        path,
    })
}
