//! Where a field stands that messages name.

use engine_json::Path;

/// `spec.validations[0].expression` as a path, behind another.
pub(crate) fn path_of(root: &Path, field: &str) -> Path {
    let segments = field.split('.').flat_map(|part| part.split('['));
    segments.fold(root.clone(), |path, segment| {
        let place = segment.strip_suffix(']').and_then(|place| place.parse::<usize>().ok());
        place.map_or_else(|| path.join(segment), |place| path.join(place))
    })
}
