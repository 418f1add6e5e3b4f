//! What is open below the toolbar, and the colours that the reader chose.
//!
//! In: nothing. Out: the id of the button that opens a panel, the word of a theme.

/// What is open below the toolbar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Panel {
    Samples,
    Open,
    Share,
    Spaces,
    About,
    Commands,
}

/// The reader's own choice of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    /// As the storage and the styles have it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub(crate) fn of_word(word: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|theme| theme.word() == word)
    }
}

impl Panel {
    /// The id of the button that opens it.
    pub(crate) const fn button(self) -> &'static str {
        match self {
            Self::Samples => "open-samples",
            Self::Open => "open-open",
            Self::Share => "open-share",
            Self::Spaces => "open-spaces",
            // Commands have no button of their own in the toolbar; the sheet of keys lists them.
            Self::About | Self::Commands => "open-about",
        }
    }
}
