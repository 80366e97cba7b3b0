//! Keys of this computer in the place of contacts: relay n is the key of the n-th button.

use crate::edge::relay::spec::KeysSpec;
use crate::edge::relay::{RelayBoard, RelayError};

/// Opens the keys.
#[cfg(not(feature = "desktop"))]
pub(crate) fn open(_spec: &KeysSpec) -> Result<Box<dyn RelayBoard>, RelayError> {
    Err(crate::edge::desktop::DesktopError::NotBuilt.into())
}

/// Opens the keys.
#[cfg(feature = "desktop")]
pub(crate) fn open(spec: &KeysSpec) -> Result<Box<dyn RelayBoard>, RelayError> {
    use crate::edge::desktop::Keyboard;
    let keyboard = match spec.verify {
        true => Keyboard::open(&spec.title, &spec.keys)?,
        false => Keyboard::open_anywhere(&spec.title, &spec.keys)?,
    };
    Ok(Box::new(board::KeyBoard::new(keyboard)))
}

#[cfg(feature = "desktop")]
mod board {
    use crate::edge::desktop::Keyboard;
    use crate::edge::relay::{Capabilities, RelayBoard, RelayError};
    use crate::message::RelayMask;
    use crate::profile::wire::Wire;

    pub(super) struct KeyBoard {
        keyboard: Keyboard,
        told: RelayMask,
    }

    impl KeyBoard {
        pub(super) fn new(keyboard: Keyboard) -> Self {
            Self { keyboard, told: RelayMask(0) }
        }
    }

    impl RelayBoard for KeyBoard {
        fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
            let (before, after) = (self.told.0, mask.0);
            self.keyboard.change(after & !before, before & !after)?;
            self.told = mask;
            Ok(())
        }

        fn open_all(&mut self) -> Result<(), RelayError> {
            self.keyboard.release_all()?;
            self.told = RelayMask(0);
            Ok(())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities { relays: 8, wire: Wire::at_once(0.0), reads_back: true }
        }

        fn name(&self) -> String {
            self.keyboard.name()
        }

        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(Some(RelayMask(self.keyboard.down()?)))
        }

        fn check_reach(&mut self) -> Result<(), RelayError> {
            Ok(self.keyboard.check_focus()?)
        }
    }
}
