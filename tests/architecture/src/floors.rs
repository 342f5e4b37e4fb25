//! Floors: a file uses the folders of its floor and of those below.

use crate::modules::Imports;

/// A folder (or file) at the root of `src`, and its floor.
pub type Floor<'a> = (&'a str, u8);

/// The imports that lead up, each as one line, and the files that are on no floor. `exempt` names the files at the
/// root that stand outside.
pub fn uphill(imports: &Imports, floors: &[Floor<'_>], exempt: &[&str]) -> Vec<String> {
    let floor = |file: &str| {
        let folder = file.split_once('/').map_or_else(|| file.trim_end_matches(".rs"), |(folder, _)| folder);
        floors.iter().find(|(name, _)| *name == folder).map(|(_, floor)| *floor)
    };
    let is_exempt = |file: &str| exempt.contains(&file);
    let homeless = imports.files.iter().filter(|file| !is_exempt(file) && floor(file).is_none());
    let mut faults: Vec<_> = homeless.map(|file| format!("{file} is on no floor")).collect();
    for import in imports.list.iter().filter(|import| !is_exempt(&import.from) && !is_exempt(&import.to)) {
        if let (Some(from), Some(to)) = (floor(&import.from), floor(&import.to))
            && from < to
        {
            faults.push(format!("{import} leads from floor {from} up to floor {to}"));
        }
    }
    faults
}
