//! A plain HTTP client, the program with a page, and a browser driven over WebDriver.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used)]

pub mod crowd;
#[path = "../../shared/eventually.rs"]
mod eventually;
#[path = "../../shared/skip.rs"]
pub mod skip;
pub mod table;

pub use eventually::eventually;

use serde_json::{Value, json};
use stackhand::time::{Clock, SystemClock};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Sleeps; only for waiting on another process.
pub fn nap(ms: f64) {
    let clock = SystemClock::new();
    clock.sleep_until(clock.now().plus_ms(ms));
}

/// An answer.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// One request over a connection of its own; `None` if the server hangs up.
pub fn request(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Reply> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "host") {
        head += &format!("host: {address}\r\n");
    }
    headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut found = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().split_once(": ").or(line.trim_end().split_once(':')) {
            Some((name, value)) => found.push((name.to_ascii_lowercase(), value.trim().to_string())),
            None => break,
        }
    }
    let length = found.iter().find(|(n, _)| n == "content-length").and_then(|(_, v)| v.parse::<usize>().ok());
    let mut body = Vec::new();
    match length.filter(|_| method != "HEAD").or((method == "HEAD").then_some(0)) {
        Some(length) => {
            body.resize(length, 0);
            reader.read_exact(&mut body).ok()?;
        }
        None => drop(reader.read_to_end(&mut body)),
    }
    Some(Reply { status, headers: found, body })
}

/// Goes in by the address that was printed, as a browser does; the cookie that is to be sent from then on.
pub fn enter(url: &str) -> String {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let reply = request(address, "GET", &format!("/{path}"), &[], b"").expect("no answer");
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")), "{url}");
    reply.header("set-cookie").unwrap().split(';').next().unwrap().to_string()
}

/// Somebody at a page, with a cookie or without.
#[derive(Clone)]
pub struct Visitor {
    pub address: String,
    pub cookie: String,
}

impl Visitor {
    /// With the token that is in the printed address.
    pub fn of(url: &str) -> Self {
        let address = url.trim_start_matches("http://").split('/').next().unwrap().to_string();
        Self { address, cookie: enter(url) }
    }

    /// Somebody without it.
    pub fn stranger(&self) -> Self {
        Self { address: self.address.clone(), cookie: String::new() }
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Reply> {
        let cookie = Some(("cookie", &*self.cookie)).filter(|_| !self.cookie.is_empty());
        request(&self.address, method, path, &headers.iter().copied().chain(cookie).collect::<Vec<_>>(), body)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], b"").expect("no answer")
    }

    pub fn post(&self, path: &str, tab: u64, body: &Value) -> Reply {
        self.ask("POST", path, &[("x-stackhand-tab", &tab.to_string())], body.to_string().as_bytes())
            .expect("no answer")
    }

    /// What the page shows now, without its pictures.
    pub fn state(&self) -> Value {
        let body = self.get("/api/live?after=0").body;
        let length = body.first_chunk::<4>().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        body.get(4..4 + length).and_then(|json| serde_json::from_slice(json).ok()).unwrap_or(Value::Null)
    }

    pub fn order(&self, tab: u64, what: &str) -> Reply {
        self.post("/api/order", tab, &json!({ "do": what }))
    }
}

/// The program with a page; it is killed at the end.
pub struct Program {
    child: Child,
    pub address: String,
    pub url: String,
}

impl Program {
    pub fn start(program: &Path, args: &[&str], folder: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let url = loop {
            let Some(Ok(line)) = lines.next() else { panic!("no page: {said:?}") };
            if let Some((_, url)) = line.split_once("The page is at ") {
                break url.to_string();
            }
            said.push(line);
        };
        // Its further words must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let address = url.trim_start_matches("http://").split('/').next().unwrap().to_string();
        Self { child, address, url }
    }
}

impl Program {
    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Somebody who has the printed address.
    pub fn visitor(&self) -> Visitor {
        Visitor::of(&self.url)
    }

    /// Memory in use, kB; 0 where that cannot be told.
    pub fn memory_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        line.and_then(|line| line.split_whitespace().nth(1)).and_then(|kb| kb.parse().ok()).unwrap_or(0)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Chromium under chromedriver.
pub struct Browser {
    driver: Child,
    address: String,
    session: String,
}

/// Where a program is, if it is installed.
pub fn installed(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name))).find(|file| file.exists())
}

impl Browser {
    /// `None`, loudly, where there is none.
    pub fn start() -> Option<Self> {
        let (Some(driver), Some(chromium)) =
            (installed(&["chromedriver"]), installed(&["chromium", "chromium-browser"]))
        else {
            skip::skipped("the page in a browser", &["chromium", "chromedriver"]);
            return None;
        };
        let mut driver =
            Command::new(driver).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = loop {
            let line = lines.next().expect("chromedriver ended").unwrap();
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                break port.trim_end_matches('.').to_string();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        let address = format!("127.0.0.1:{port}");
        let options = json!({ "binary": chromium, "args": ["--headless=new", "--no-sandbox", "--disable-gpu",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,900"] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": options } } });
        let mut browser = Self { driver, address, session: String::new() };
        let value = browser.post("/session", &wanted);
        browser.session = format!("/session/{}", value["sessionId"].as_str().unwrap_or_else(|| panic!("{value}")));
        Some(browser)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let bytes = body.to_string();
        let headers = [("content-type", "application/json")];
        let reply =
            request(&self.address, "POST", path, &headers, bytes.as_bytes()).expect("chromedriver does not answer");
        let value = reply.json()["value"].clone();
        assert_eq!(reply.status, 200, "{path}: {value}");
        value
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.post(&format!("{}{path}", self.session), body)
    }

    pub fn open(&self, url: &str) {
        self.command("/url", &json!({ "url": url }));
    }

    /// The value of a script's `return`.
    pub fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The value that an asynchronous script hands to `done`.
    pub fn run_async(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.command("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Waits until a script's expression is true.
    pub fn wait(&self, what: &str) {
        for _ in 0..600 {
            if self.run(&format!("return Boolean({what})")) == json!(true) {
                return;
            }
            nap(50.0);
        }
        panic!("never: {what}; the page says {}", self.run("return document.body.innerText"));
    }

    pub fn cdp(&self, command: &str, parameters: &Value) -> Value {
        self.command("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// The window's size in CSS pixels, and light or dark.
    pub fn look(&self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.cdp("Emulation.setDeviceMetricsOverride", &metrics);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.cdp("Emulation.setEmulatedMedia", &features);
    }

    /// A picture of the window, PNG; `whole`: of the whole page.
    pub fn picture(&self, whole: bool) -> Vec<u8> {
        let value = self.cdp("Page.captureScreenshot", &json!({ "format": "png", "captureBeyondViewport": whole }));
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.decode(value["data"].as_str().unwrap()).unwrap()
    }

    /// Presses the mouse's button at one point and lets go at another, in small steps.
    pub fn drag(&self, from: [f64; 2], to: [f64; 2]) {
        let step = |[x, y]: [f64; 2], ms: u32| json!({ "type": "pointerMove", "duration": ms, "x": x.round() as i64, "y": y.round() as i64 });
        let middle = [(from[0] + to[0]) / 2.0, (from[1] + to[1]) / 2.0];
        let actions = json!([step(from, 0), { "type": "pointerDown", "button": 0 }, step(middle, 60), step(to, 60),
            { "type": "pointerUp", "button": 0 }]);
        let mouse =
            json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.command("/actions", &json!({ "actions": [mouse] }));
    }

    /// Presses keys together, the last one of them while the others are held (WebDriver's key codes).
    pub fn keys(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let actions: Vec<Value> = down.chain(up).collect();
        self.command("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = request(&self.address, "DELETE", &self.session, &[], b"");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
