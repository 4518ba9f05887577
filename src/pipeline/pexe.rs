//! Executables of PNaCl, made of the functions as they are after the passes of the recipe.

use super::Job;
use super::source::Opened;
use crate::diagnostics::{Error, in_function};
use crate::timing::{Clock, Report};
use frazil_frontend_pnacl::pnacl::writer::PexeWriter;
use std::io::Write;

impl Job<'_> {
    /// Writes an executable of PNaCl. All functions are looked at, so that everything that has no form is said at once.
    pub(super) fn write_pexe(&mut self, opened: &Opened<'_>, out: &mut dyn Write) -> Result<Report, Error> {
        let mut writer = PexeWriter::new(opened.module())?;
        let mut failures = Vec::new();
        let mut report = self.for_each_function(opened, |definition, function| {
            if let Err(error) = writer.add(definition.id, function) {
                failures.extend(in_function(Error::from(error), &definition.name));
            }
            Ok(())
        })?;
        if !failures.is_empty() {
            return Err(failures.into());
        }
        let mut clock = Clock::start(self.options.measure);
        let bytes = writer.finish()?;
        out.write_all(&bytes).map_err(|error| Error::output(&error))?;
        clock.lap(&mut report.times.write);
        Ok(report)
    }
}
