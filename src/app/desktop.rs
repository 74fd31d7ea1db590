//! What the desktop says, asked over its message bus: dark or light, and
//! whether it has a file dialog. Without a bus nothing is known, which is no
//! fault.

use super::Outbox;

/// Follows the desktop's preference, for as long as the program runs.
pub fn watch_theme(outbox: Outbox) {
    #[cfg(target_os = "linux")]
    std::thread::spawn(move || {
        // No bus, no portal, or one that does not know: the default stays.
        let _ = pollster::block_on(portal::follow_theme(|dark| {
            outbox(super::Message::SystemDark(dark));
        }));
    });
    // Elsewhere the window itself is told.
    #[cfg(not(target_os = "linux"))]
    drop(outbox);
}

/// Why no file dialog can be shown; `None` when one can.
#[must_use]
pub fn missing_dialog() -> Option<String> {
    #[cfg(target_os = "linux")]
    if !pollster::block_on(portal::is_there()) && !has_zenity() {
        return Some(
            "No file dialog here: install xdg-desktop-portal with a backend, or zenity. \
             Files can also be dropped on the window, pasted as a path (Ctrl+V) or named on \
             the command line"
                .into(),
        );
    }
    None
}

#[cfg(target_os = "linux")]
fn has_zenity() -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join("zenity").is_file())
}

#[cfg(target_os = "linux")]
mod portal {
    use std::{future::poll_fn, pin::pin};

    use zbus::{
        Connection, MatchRule, MessageStream, Result,
        export::futures_core::Stream,
        message::Type,
        zvariant::{OwnedValue, Value},
    };

    const NAME: &str = "org.freedesktop.portal.Desktop";
    const PATH: &str = "/org/freedesktop/portal/desktop";
    const SETTINGS: &str = "org.freedesktop.portal.Settings";
    const KEY: (&str, &str) = ("org.freedesktop.appearance", "color-scheme");

    /// Whether somebody answers for the portal, if need be after a start.
    pub async fn is_there() -> bool {
        async fn ask() -> Result<()> {
            let bus = Connection::session().await?;
            let peer = Some("org.freedesktop.DBus.Peer");
            bus.call_method(Some(NAME), PATH, peer, "Ping", &()).await?;
            Ok(())
        }
        ask().await.is_ok()
    }

    /// Tells the preference now and whenever it changes.
    pub async fn follow_theme(tell: impl Fn(bool)) -> Result<()> {
        let bus = Connection::session().await?;
        let rule = MatchRule::builder()
            .msg_type(Type::Signal)
            .interface(SETTINGS)?
            .member("SettingChanged")?
            .build();
        // Listening before the first question, so that no change falls between.
        let changes = MessageStream::for_match_rule(rule, &bus, None).await?;
        let reply = bus
            .call_method(Some(NAME), PATH, Some(SETTINGS), "Read", &KEY)
            .await?;
        let value: OwnedValue = reply.body().deserialize()?;
        if let Some(dark) = is_dark(&value) {
            tell(dark);
        }
        let mut changes = pin!(changes);
        while let Some(change) = poll_fn(|context| changes.as_mut().poll_next(context)).await {
            let change = change?;
            let (space, key, value): (String, String, OwnedValue) = change.body().deserialize()?;
            if (space.as_str(), key.as_str()) == KEY
                && let Some(dark) = is_dark(&value)
            {
                tell(dark);
            }
        }
        Ok(())
    }

    /// 1 prefers dark, 2 light, 0 neither; older portals wrap it twice.
    fn is_dark(value: &Value<'_>) -> Option<bool> {
        match value {
            Value::Value(inner) => is_dark(inner),
            Value::U32(1) => Some(true),
            Value::U32(2) => Some(false),
            _ => None,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_preference_is_read_however_often_it_is_wrapped() {
            let wrapped = |scheme: u32| Value::Value(Box::new(Value::U32(scheme)));
            assert_eq!(is_dark(&Value::U32(1)), Some(true));
            assert_eq!(is_dark(&wrapped(2)), Some(false));
            assert_eq!(is_dark(&wrapped(0)), None);
            assert_eq!(is_dark(&Value::Str("dark".into())), None);
        }
    }
}
