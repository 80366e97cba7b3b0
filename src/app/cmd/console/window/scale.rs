//! The picture in a window of any size: as large as whole pixels allow, in the middle, black around it. One that is finer than the
//! window is shrunk to it.

use crate::twin::picture::{COLOURS, HEIGHT_PX, Picture, WIDTH_PX};

/// How many of a window's pixels stand along each side of one of a picture of 256 × 240, at least one.
pub fn zoom([width, height]: [usize; 2]) -> usize {
    (width / WIDTH_PX).min(height / HEIGHT_PX).max(1)
}

/// Draws the picture into a window of `width` × `height` pixels, row by row, each 0x00RRGGBB. A window that is too small for one of
/// 256 × 240 shows its middle.
pub fn draw(picture: &Picture, size: [usize; 2], into: &mut [u32]) {
    into.fill(0);
    let is_too_fine = picture.fine() > zoom(size);
    if is_too_fine { shrink(picture, size, into) } else { enlarge(picture, size, into) }
}

fn enlarge(picture: &Picture, [width, height]: [usize; 2], into: &mut [u32]) {
    let [columns, rows] = picture.size();
    let zoom = (width / columns).min(height / rows).max(1);
    let (at_column, at_row) = (spread(width, columns, zoom), spread(height, rows, zoom));
    for (line, row) in into.chunks_exact_mut(width.max(1)).zip(at_row) {
        let Some(row) = row else { continue };
        let pixels = &picture.pixels()[row * columns..(row + 1) * columns];
        for (pixel, column) in line.iter_mut().zip(&at_column) {
            let Some(column) = *column else { continue };
            *pixel = u32::from_be_bytes(rgb(pixels[column]));
        }
    }
}

/// Each of the window's pixels is the mean of those of the picture that it covers.
fn shrink(picture: &Picture, [width, height]: [usize; 2], into: &mut [u32]) {
    let [columns, rows] = picture.size();
    // As wide or as high as the window, whichever is less.
    let [wide, high] = if width * rows <= height * columns {
        [width, width * rows / columns]
    } else {
        [height * columns / rows, height]
    };
    let [left, top] = [(width - wide) / 2, (height - high) / 2];
    let covered = |i: usize, of: usize, all: usize| i * all / of..((i + 1) * all / of).max(i * all / of + 1);
    for y in 0..high {
        for x in 0..wide {
            let (mut sum, mut count) = ([0u32; 4], 0);
            for row in covered(y, high, rows) {
                for column in covered(x, wide, columns) {
                    let colour = rgb(picture.pixels()[row * columns + column]);
                    sum.iter_mut().zip(colour).for_each(|(sum, v)| *sum += u32::from(v));
                    count += 1;
                }
            }
            into[(top + y) * width + left + x] = u32::from_be_bytes(sum.map(|sum| (sum / count) as u8));
        }
    }
}

fn rgb(number: u8) -> [u8; 4] {
    let [r, g, b] = COLOURS[usize::from(number & 63)];
    [0, r, g, b]
}

/// For each pixel along one side of the window, the picture's pixel that it shows.
fn spread(window: usize, picture: usize, zoom: usize) -> Vec<Option<usize>> {
    let margin = (window as isize - (picture * zoom) as isize).div_euclid(2);
    let at = |i: usize| usize::try_from((i as isize - margin).div_euclid(zoom as isize)).ok();
    (0..window).map(|i| at(i).filter(|&n| n < picture)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::standard::Looks;
    use crate::twin::picture;
    use crate::twin::plain::Plain;
    use crate::twin::reference::{Reference, Shown};

    fn drawn(size: [usize; 2]) -> (Picture, Vec<u32>) {
        let mut picture = Picture::new();
        picture::draw(&Reference { shown: Shown::Full, level: 3 }.view(), &mut picture);
        let mut window = vec![7; size[0] * size[1]];
        draw(&picture, size, &mut window);
        (picture, window)
    }

    fn colour(picture: &Picture, x: usize, y: usize) -> u32 {
        let [r, g, b] = COLOURS[usize::from(picture.pixels()[y * WIDTH_PX + x])];
        u32::from_be_bytes([0, r, g, b])
    }

    #[test]
    fn every_pixel_becomes_a_square_in_the_middle() {
        let size = [2 * WIDTH_PX + 11, 2 * HEIGHT_PX + 300];
        let (picture, window) = drawn(size);
        let at = |x: usize, y: usize| window[y * size[0] + x];
        for (x, y) in [(0, 0), (255, 239), (100, 50), (103, 57)] {
            let expected = colour(&picture, x, y);
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                assert_eq!(at(5 + 2 * x + dx, 150 + 2 * y + dy), expected);
            }
        }
        assert_eq!([at(4, 300), at(2 * 256 + 5, 300), at(100, 149), at(100, 150 + 480)], [0; 4]);
    }

    #[test]
    fn windows_too_small_or_without_area_show_what_they_can() {
        let (picture, window) = drawn([56, 40]);
        assert_eq!(window[0], colour(&picture, 100, 100));
        assert_eq!(window[40 * 56 - 1], colour(&picture, 155, 139));
        assert!(drawn([0, 0]).1.is_empty() && drawn([1, 1]).1.len() == 1);
    }

    #[test]
    fn a_finer_picture_is_shrunk_to_the_window_and_not_cut() {
        let plain = || Plain::of_reference(Shown::Full.pile([200, 400]), None, 1, Looks::default());
        for (size, left) in [([256, 240], 0), ([768, 720], 0), ([800, 720], 16), ([768, 900], 0), ([1280, 1200], 0)] {
            let picture = plain().picture(zoom(size));
            let mut window = vec![7; size[0] * size[1]];
            draw(&picture, size, &mut window);
            let share = size[1].min(size[0] * 240 / 256) as f64 / 240.0;
            let at = |x: f64, y: f64| {
                let [x, y] = [left as f64 + x * share, (size[1] as f64 - 240.0 * share) / 2.0 + y * share];
                window[y as usize * size[0] + x as usize]
            };
            // Cells of two pixels of five a pixel of the console's: the field ends at line 208, and its wall at 215.
            assert!((100..150).all(|x| at(f64::from(x), 206.0) != 0), "{size:?}");
            assert!(at(120.0, 212.0) != 0, "{size:?}");
            assert_eq!([window[0], at(120.0, 238.0), at(250.0, 100.0)], [0; 3], "{size:?}");
        }
        let mut nothing = [];
        draw(&plain().picture(1), [0, 0], &mut nothing);
        draw(&plain().picture(1), [1, 1], &mut [0]);
    }
}
