/** Two short tones that rise, in Hz. */
const TONES = [660, 880];
const TONE_SECONDS = 0.12;
/** Of 1. */
const VOLUME = 0.1;

/** Plays the sound of a new answer. Does nothing where the browser has no Web Audio or refuses to play; never throws. */
export function playSound(): void {
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const volume = context.createGain();
    const start = context.currentTime;
    const end = start + TONES.length * TONE_SECONDS;
    TONES.forEach((frequency, at) => tone.frequency.setValueAtTime(frequency, start + at * TONE_SECONDS));
    // A tone that is cut off clicks.
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.linearRampToValueAtTime(0, end);
    tone.connect(volume).connect(context.destination);
    tone.onended = () => void context.close();
    tone.start(start);
    tone.stop(end);
  } catch {}
}
