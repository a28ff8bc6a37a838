package io.berth.webhook.error;

/**
 * A problem with an object or a request of a user.
 *
 * @param code the kind of problem
 * @param path the position: a field path such as {@code spec.nodeAffinity.required…[0].values[1]},
 *     an annotation with a position inside it, or the name of an object
 * @param message the problem and its solution, without the code and the path
 */
public record Problem(ErrorCode code, String path, String message) {

  /** Returns the problem as one line: {@code BERTH-1103 at <path>: <message>}. */
  public String text() {
    return where() + ": " + message;
  }

  /** Returns the code and position without the text: {@code BERTH-1103 at <path>}. */
  public String where() {
    return code.id() + " at " + path;
  }
}
