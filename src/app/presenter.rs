//! A software adapter draws while it is waited for. That happens on a thread
//! of its own, so that the window goes on hearing keys.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use super::{Message, Outbox};

/// A frame that is recorded and not yet shown.
pub(super) struct Job {
    pub commands: wgpu::CommandBuffer,
    pub texture: wgpu::SurfaceTexture,
}

impl Job {
    /// Draws and shows it.
    pub fn run(self, queue: &wgpu::Queue) {
        queue.submit([self.commands]);
        queue.present(self.texture);
    }
}

/// The thread, with at most one frame under way. Ends when it is dropped, after
/// that frame: a driver that draws while the program ends takes it down.
pub(super) struct Presenter {
    jobs: Option<mpsc::Sender<Job>>,
    busy: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Presenter {
    /// Tells `outbox` of every frame that is shown.
    pub fn new(queue: &wgpu::Queue, outbox: &Outbox) -> Self {
        let (jobs, inbox) = mpsc::channel::<Job>();
        let busy = Arc::new(AtomicBool::new(false));
        let (queue, outbox, shown) = (queue.clone(), Arc::clone(outbox), Arc::clone(&busy));
        let thread = thread::spawn(move || {
            for job in inbox {
                job.run(&queue);
                // Before the message: whoever hears it may begin the next frame
                // at once.
                shown.store(false, Ordering::Release);
                outbox(Message::Shown);
            }
        });
        Self {
            jobs: Some(jobs),
            busy,
            thread: Some(thread),
        }
    }

    /// Whether a frame is under way; no other may be begun until it is shown.
    pub fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    pub fn begin(&self, job: Job) {
        self.busy.store(true, Ordering::Release);
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        if !matches!(sent, Some(Ok(()))) {
            // The thread is gone, and the frame with it.
            self.busy.store(false, Ordering::Release);
        }
    }
}

impl Drop for Presenter {
    fn drop(&mut self) {
        // Without a sender the thread comes to its end.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // One that has panicked is at its end as well.
            let _ = thread.join();
        }
    }
}
