// Time: play, pause, scrub, step, speed, loop.
export const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
    constructor(time, changed) {
        this.start = time[0];
        this.end = time[time.length - 1];
        this.duration = this.end - this.start;
        this.t = this.start;
        this.playing = false;
        this.loops = true;
        this.changed = changed;
        // real time, but slower where all would be over in a moment
        this.speed = speeds.filter((s) => this.duration / s >= 1.5).pop() ?? speeds[0];
        this.speed = Math.min(1, this.speed);
    }

    seek(t) {
        this.t = Math.min(this.end, Math.max(this.start, t));
        this.changed();
    }

    play(on = !this.playing) {
        this.playing = on && this.duration > 0;
        if (this.playing && this.t >= this.end) this.t = this.start;
        this.changed();
    }

    step(n) {
        this.playing = false;
        this.seek(this.t + (n * this.duration) / 240);
    }

    setSpeed(speed) {
        this.speed = speed;
        this.changed();
    }

    faster(by) {
        const at = speeds.findIndex((s) => s >= this.speed * 0.999);
        this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at + by))]);
    }

    advance(seconds) {
        if (!this.playing) return;
        let t = this.t + this.speed * Math.min(0.1, seconds);
        if (t > this.end) {
            if (this.loops) t = this.start + ((t - this.start) % this.duration);
            else this.playing = false;
        }
        this.seek(t);
    }
}
