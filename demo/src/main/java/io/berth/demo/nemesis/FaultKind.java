package io.berth.demo.nemesis;

/** The kind of a fault. */
public enum FaultKind {
  /** The process is suspended with SIGSTOP and resumed afterwards. */
  PAUSE("is paused"),
  /** The process is killed with SIGKILL and restarted afterwards. */
  KILL("is killed"),
  /** All connections to the API server are closed, including new ones. */
  CUT("is cut off from the API server"),
  /** Connections to the API server stay open but carry no data. */
  SILENCE("exchanges no data with the API server"),
  /** Every request is delayed on its way to the API server. */
  DELAY("has its requests delayed"),
  /** Some requests are answered with 429 and not executed. */
  THROTTLE("has requests answered with 429"),
  /** Some requests are answered with 500 and not executed. */
  FAIL("has requests answered with 500"),
  /** Some writes are executed but answered with 504. */
  LOSE("has responses to writes replaced with 504");

  private final String words;

  FaultKind(String words) {
    this.words = words;
  }

  /** Returns the predicate of a sentence about a process. */
  String words() {
    return words;
  }
}
