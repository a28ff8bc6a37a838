package io.berth.demo.nemesis;

/** The kinds of faults. */
public enum FaultKind {
  /** The process is stopped by SIGSTOP, and goes on afterwards. */
  PAUSE("is paused"),
  /** The process is ended by SIGKILL, and started again afterwards. */
  KILL("is killed"),
  /** Connections to the API server are closed, and new ones too. */
  CUT("is cut off from the API server"),
  /** Connections to the API server stay open and carry nothing. */
  SILENCE("hears nothing from the API server"),
  /** Every request waits before it reaches the API server. */
  DELAY("has its requests delayed"),
  /** Some requests are answered 429 and not carried out. */
  THROTTLE("has requests answered 429"),
  /** Some requests are answered 500 and not carried out. */
  FAIL("has requests answered 500"),
  /** Some writes are carried out, and answered 504. */
  LOSE("has the answers of writes replaced by 504");

  private final String words;

  FaultKind(String words) {
    this.words = words;
  }

  /** The predicate of a sentence about a process. */
  String words() {
    return words;
  }
}
