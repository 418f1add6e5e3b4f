//! Texts that YAML 1.1 takes for points in time: `2001-12-14`, `2001-12-14T21:59:43.1Z`.
//!
//! In: a text. Out: whether go-yaml reads it as a timestamp. Such a text stays a string when it is read and is
//! quoted when it is written.

/// Whether the text is a timestamp to go-yaml.
// Go: resolve.go, `parseTimestamp` and its four layouts, as time.Parse reads them.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let Some((year, rest)) = text.split_at_checked(4) else { return false };
    if !year.bytes().all(|b| b.is_ascii_digit()) || !rest.starts_with('-') {
        return false;
    }
    let mut clock = Clock { rest };
    let year = year.parse().unwrap_or(0);
    let Some(()) = clock.date(year) else { return false };
    if clock.rest.is_empty() {
        return true;
    }
    if clock.take(" ") {
        // time.Parse takes any run of spaces where the layout has one.
        clock.rest = clock.rest.trim_start_matches(' ');
        return clock.time().is_some() && clock.rest.is_empty();
    }
    (clock.take("T") || clock.take("t"))
        && clock.time().is_some()
        && clock.zone().is_some()
        && clock.rest.is_empty()
}

struct Clock<'a> {
    rest: &'a str,
}

impl Clock<'_> {
    fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// One digit, or two where the second is a digit.
    fn number(&mut self) -> Option<u32> {
        let digits = self.rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at_checked(digits)?;
        self.rest = rest;
        number.parse().ok()
    }

    fn two_digits(&mut self) -> Option<u32> {
        let before = self.rest.len();
        let number = self.number()?;
        (before - self.rest.len() == 2).then_some(number)
    }

    fn date(&mut self, year: u32) -> Option<()> {
        self.take("-").then_some(())?;
        let month = self.number()?;
        self.take("-").then_some(())?;
        let day = self.number()?;
        (day >= 1 && day <= days_of(year, month)?).then_some(())
    }

    fn time(&mut self) -> Option<()> {
        // Go: the hour of a layout `15` is one or two digits too.
        let hour = self.number()?;
        self.take(":").then_some(())?;
        let minute = self.number()?;
        self.take(":").then_some(())?;
        let second = self.number()?;
        if let Some(fraction) = self.rest.strip_prefix(['.', ',']) {
            let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 {
                self.rest = fraction.get(digits..)?;
            }
        }
        (hour < 24 && minute < 60 && second < 60).then_some(())
    }

    fn zone(&mut self) -> Option<()> {
        if self.take("Z") {
            return Some(());
        }
        (self.take("+") || self.take("-")).then_some(())?;
        let hour = self.two_digits()?;
        self.take(":").then_some(())?;
        let minute = self.two_digits()?;
        (hour <= 24 && minute < 60).then_some(())
    }
}

fn days_of(year: u32, month: u32) -> Option<u32> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => Some(if leap { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        _ => None,
    }
}
