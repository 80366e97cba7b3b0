//! Where a layout's parts are seen in the picture, for the page's marks and for the rectified strip.

use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::vision::View;
use image::RgbImage;
use serde_json::{Value, json};

/// A rectified cell's side, px.
const STRIP_CELL_PX: u32 = 12;

/// A calibration's map from field units to the picture; `None` if its corners span no field.
pub fn view(layout: &Layout, calibration: &Calibration) -> Option<View> {
    let field = [0.0, 0.0, layout.field.columns as f64, layout.field.rows as f64];
    View::through(field, calibration.corners, calibration.lens_k1, calibration.picture.map(|side| side as usize))
}

/// The marks: the lines' crossings row by row, the spawn cells, and the next boxes, px.
pub fn marks(layout: &Layout, calibration: &Calibration) -> Value {
    let Some(view) = view(layout, calibration) else { return Value::Null };
    let (columns, rows) = (layout.field.columns, layout.field.rows);
    let at = |x: f64, y: f64| view.map([x, y]).map(|v| (v * 10.0).round() / 10.0);
    let crossings: Vec<_> = (0..=rows).flat_map(|y| (0..=columns).map(move |x| at(x as f64, y as f64))).collect();
    let quad = |l: f64, t: f64, r: f64, b: f64| json!([at(l, t), at(r, t), at(r, b), at(l, b)]);
    let spawn = layout.spawn.values().flat_map(|shape| shape.field_cells());
    let ends = spawn.fold([f64::MAX, f64::MAX, 0.0f64, 0.0f64], |[l, t, r, b], (x, y)| {
        let (x, y) = (x as f64, y as f64);
        [l.min(x), t.min(y), r.max(x + 1.0), b.max(y + 1.0)]
    });
    let boxes = layout.next.iter().chain(&layout.queue).map(|next| {
        let [x, y] = next.center;
        let [w, h] = next.size.map(|side| side / 2.0);
        quad(x - w, y - h, x + w, y + h)
    });
    json!({
        "picture": calibration.picture,
        "columns": columns,
        "rows": rows,
        "corners": calibration.corners,
        "crossings": crossings,
        "spawn": quad(ends[0], ends[1], ends[2], ends[3]),
        "next": boxes.collect::<Vec<_>>(),
    })
}

/// The field as if it were filmed from straight ahead; a single pixel if it cannot be told where it is.
pub fn strip(image: &RgbImage, layout: &Layout, calibration: &Calibration) -> RgbImage {
    let Some(view) = view(layout, calibration) else { return RgbImage::new(1, 1) };
    let size = [layout.field.columns as u32, layout.field.rows as u32].map(|cells| cells * STRIP_CELL_PX);
    let last = [image.width(), image.height()].map(|side| f64::from(side.max(1)) - 1.0);
    RgbImage::from_fn(size[0], size[1], |x, y| {
        let cell = [x, y].map(|v| (f64::from(v) + 0.5) / f64::from(STRIP_CELL_PX));
        let [px, py] = view.map(cell);
        // A clamped cast also takes what is no number to 0.
        *image.get_pixel(px.clamp(0.0, last[0]) as u32, py.clamp(0.0, last[1]) as u32)
    })
}
