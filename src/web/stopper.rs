//! STOP's own thread. Whatever else the page does, an order to stop is begun at once, and those that come while one is being
//! done are done together by one more: each is answered for an opening that began after it came.

use crate::web::site::{Answer, Site};
use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Those who wait for the same STOP; more are told to ask again.
const WAITING_MAX: usize = 128;

/// The thread.
pub struct Stopper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<oneshot::Sender<Answer>>,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stopper {
    /// Starts the thread that stops `site`.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start<S: Site>(site: Arc<S>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let thread = std::thread::Builder::new().name("page stop".into()).spawn(move || serve(site.as_ref(), &own))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Orders STOP, and waits for what it came to. May be called from any runtime.
    pub async fn stop(&self) -> Answer {
        let (tell, told) = oneshot::channel();
        {
            let mut state = self.shared.lock();
            if state.waiting.len() >= WAITING_MAX {
                return Err("too many ask to stop at once; one of them is being obeyed".into());
            }
            state.waiting.push(tell);
        }
        self.shared.bell.notify_one();
        told.await.unwrap_or_else(|_| Err("the program is ending; the relays open at its end".into()))
    }
}

impl Drop for Stopper {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.bell.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve<S: Site>(site: &S, shared: &Shared) {
    loop {
        let state = shared.lock();
        let waited = shared.bell.wait_while(state, |state| state.waiting.is_empty() && !state.is_over);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        // A STOP that fails must not be the last one.
        let done = catch_unwind(AssertUnwindSafe(|| site.order(&json!({ "do": "stop" }))));
        let answer = done.unwrap_or_else(|_| Err("STOP failed; use the board's switch, then start again".into()));
        waiting.into_iter().for_each(|tell| drop(tell.send(answer.clone())));
    }
}
