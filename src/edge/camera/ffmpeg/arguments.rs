//! What a source may ask of ffmpeg. The words stand before our own output, so any of them could name another one, and ffmpeg
//! would write it. On the command line that is an accident; in a profile, which may come from a stranger, it would be an
//! attack, so there only what is known to read is let through.

use std::path::Path;

/// Protocols that inputs are read with, unless the user names others: none of them writes to this computer or runs anything.
pub(super) const PROTOCOLS: &str = "file,crypto,data,http,https,httpproxy,rtmp,rtmps,rtp,rtsp,srt,tcp,tls,udp";

/// Options without a value; every other one has one.
const FLAGS: [&str; 12] = [
    "-re",
    "-an",
    "-sn",
    "-dn",
    "-y",
    "-n",
    "-autorotate",
    "-noautorotate",
    "-report",
    "-vstats",
    "-stats",
    "-nostdin",
];
/// Options that overwrite or write files besides the pictures.
const WRITING: [&str; 12] = [
    "-y",
    "-n",
    "-report",
    "-vstats",
    "-vstats_file",
    "-progress",
    "-sdp_file",
    "-passlogfile",
    "-dump_attachment",
    "-pass",
    "-attach",
    "-stdin",
];
/// Options that a profile may use, besides `-i`, `-f` and `-vf`.
const KNOWN: [&str; 40] = [
    "-analyzeduration",
    "-an",
    "-autorotate",
    "-buffer_size",
    "-capture_cursor",
    "-channel",
    "-dn",
    "-draw_mouse",
    "-fflags",
    "-flags",
    "-follow_mouse",
    "-framerate",
    "-grab_x",
    "-grab_y",
    "-input_format",
    "-list_formats",
    "-loop",
    "-max_delay",
    "-noautorotate",
    "-offset_x",
    "-offset_y",
    "-pix_fmt",
    "-pixel_format",
    "-probesize",
    "-r",
    "-re",
    "-region_border",
    "-reorder_queue_size",
    "-rtbufsize",
    "-rtsp_transport",
    "-s",
    "-show_region",
    "-sn",
    "-standard",
    "-stream_loop",
    "-thread_queue_size",
    "-timeout",
    "-ts",
    "-video_size",
    "-window_id",
];
/// Devices and formats that a profile may name. (`lavfi` and `concat` read programs, which can name files to write.)
const FORMATS: [&str; 13] = [
    "android_camera",
    "avfoundation",
    "bktr",
    "dshow",
    "fbdev",
    "gdigrab",
    "h264",
    "kmsgrab",
    "mjpeg",
    "mpegts",
    "v4l2",
    "video4linux2",
    "x11grab",
];
/// Filters that a profile may name: they turn and cut pictures, and have no files.
const FILTERS: [&str; 9] = ["crop", "format", "fps", "hflip", "null", "rotate", "scale", "transpose", "vflip"];
/// How network inputs may begin.
const ADDRESSES: [&str; 8] = ["http://", "https://", "rtmp://", "rtmps://", "rtp://", "rtsp://", "srt://", "udp://"];

/// Checks words of the user's own.
///
/// # Errors
/// When they have no input, or would write; the text says which.
pub(in crate::edge::camera) fn check(words: &[String]) -> Result<(), String> {
    let mut has_input = false;
    for (option, value) in pairs(words)? {
        let name = option.split(':').next().unwrap_or_default();
        if WRITING.contains(&name) {
            return Err(format!("{option} is about files to write, and a source only reads; leave it out"));
        }
        if value.is_none() && !FLAGS.contains(&name) {
            return Err(format!("{option} has no value"));
        }
        has_input |= option == "-i";
    }
    if has_input { Ok(()) } else { Err("there is no `-i INPUT` among the ffmpeg arguments".into()) }
}

/// Checks words that stand in a profile.
///
/// # Errors
/// When one of them is not known to only read; the text says which.
pub(in crate::edge::camera) fn check_profile(words: &[String]) -> Result<(), String> {
    check(words)?;
    for (option, value) in pairs(words)? {
        let value = value.unwrap_or_default();
        let is_known = match option {
            "-i" => is_input(value),
            "-f" => FORMATS.contains(&value),
            "-vf" | "-filter:v" => value.split(',').all(is_harmless_filter),
            option => KNOWN.contains(&option) && !value.contains("://"),
        };
        if !is_known {
            return Err(format!("`{}`", [option, value].join(" ").trim_end()));
        }
    }
    Ok(())
}

/// Each option with its value.
fn pairs(words: &[String]) -> Result<Vec<(&str, Option<&str>)>, String> {
    let mut pairs = Vec::new();
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        if !word.starts_with('-') || word == "-" {
            return Err(format!("{word:?} follows no option, so ffmpeg would write a file of that name; leave it out"));
        }
        let has_value = !FLAGS.contains(&word);
        pairs.push((word, has_value.then(|| words.next()).flatten()));
    }
    Ok(pairs)
}

/// A device, a file, a screen, or a camera in the network. Other protocols join, cut or cache files, or read anything.
fn is_input(value: &str) -> bool {
    if ADDRESSES.iter().any(|start| value.starts_with(start)) {
        return true;
    }
    // `:0.0+10,20` is a screen, `video=Camera` one of DirectShow's; a protocol is letters before a colon or a comma.
    let scheme = value.split([':', ',']).next().unwrap_or_default();
    let is_plain = value.starts_with(':') || scheme == value || scheme.contains('=') || Path::new(value).is_absolute();
    !value.is_empty() && value != "-" && (is_plain || scheme.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
}

fn is_harmless_filter(filter: &str) -> bool {
    let (name, options) = filter.split_once('=').unwrap_or((filter, ""));
    // No labels, no quotes, no escapes: what is written is what is run.
    let is_plain = options.bytes().all(|b| b.is_ascii_alphanumeric() || b"_=:.*+-/()".contains(&b));
    FILTERS.contains(&name.trim()) && is_plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::words::split_words;

    fn words(line: &str) -> Vec<String> {
        split_words(line).unwrap()
    }

    #[test]
    fn what_cameras_and_screens_need_may_stand_in_a_profile() {
        for line in [
            "-f v4l2 -framerate 30 -video_size 640x480 -input_format mjpeg -i /dev/video0",
            "-f x11grab -framerate 30 -draw_mouse 0 -grab_x 10 -grab_y 20 -video_size 640x480 -i :0.0",
            "-f x11grab -i :1.0+10,20",
            "-f x11grab -i 127.0.0.1:10.0",
            "-f avfoundation -pixel_format nv12 -i 0",
            "-f avfoundation -i 0:none",
            "-f dshow -rtbufsize 100M -i 'video=USB Camera'",
            "-f gdigrab -i desktop",
            "-rtsp_transport tcp -i rtsp://10.0.0.5/stream",
            "-re -i recording.mkv",
            "-i 'my file.mkv' -vf hflip,crop=640:480:0:0,scale=w=320:h=-1",
        ] {
            assert_eq!(check_profile(&words(line)), Ok(()), "{line}");
        }
    }

    #[test]
    fn nothing_that_writes_or_runs_may_stand_in_a_profile() {
        for line in [
            "-y -i in.mkv /home/you/.bashrc",
            "-i in.mkv out.avi",
            "-i in.mkv -f avi file:out.avi",
            "-f lavfi -i testsrc",
            "-f concat -i list.txt",
            "-i concat:a|b",
            "-i subfile,,start,0,end,9,,:/etc/passwd",
            "-i cache:http://x/",
            "-i data:text/plain,x",
            "-i pipe:0",
            "-i -",
            "-i unix:/run/x",
            "-i tee:a",
            "-i in.mkv -vf metadata=print:file=/tmp/x",
            "-i in.mkv -vf 'hflip[a];[a]metadata=print:file=x'",
            "-i in.mkv -vf crop=1:1,movie=x",
            "-i in.mkv -filter_complex hflip",
            "-i in.mkv -map 0",
            "-i in.mkv -c:v copy",
            "-i in.mkv -progress /tmp/x",
            "-protocol_whitelist ALL -i in.mkv",
            "-dump_attachment:t x -i in.mkv",
            "-init_hw_device opencl -i in.mkv",
            "-pix_fmt file://x -i in.mkv",
            "-report -i in.mkv",
            "-vstats_file x -i in.mkv",
        ] {
            assert!(check_profile(&words(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn on_the_command_line_only_what_writes_is_refused() {
        for line in ["-f lavfi -i testsrc=rate=20", "-i a -filter_complex hflip", "-c:v h264 -i x -map 0:1 -r 5"] {
            assert_eq!(check(&words(line)), Ok(()), "{line}");
        }
        for (line, word) in [
            ("-y -i in.mkv", "-y"),
            ("-i in.mkv out.avi", "out.avi"),
            ("out.avi -i in.mkv", "out.avi"),
            ("-dump_attachment:t x -i in.mkv", "-dump_attachment:t"),
            ("-f x11grab", "-i INPUT"),
            ("-i", "no value"),
        ] {
            let error = check(&words(line)).unwrap_err();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
