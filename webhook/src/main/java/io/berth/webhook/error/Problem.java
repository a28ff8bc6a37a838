package io.berth.webhook.error;

/**
 * One mistake in what a user wrote.
 *
 * @param code what kind of mistake it is
 * @param path where it is: a field path such as {@code spec.nodeAffinity.required…[0].values[1]},
 *     or the annotation and the place in it
 * @param message what is wrong and what to write instead; does not repeat code and path
 */
public record Problem(ErrorCode code, String path, String message) {

  /** All of it in one line: {@code BERTH-1103 at <path>: <message>}. */
  public String text() {
    return where() + ": " + message;
  }

  /** Returns the code and position without the text: {@code BERTH-1103 at <path>}. */
  public String where() {
    return code.id() + " at " + path;
  }
}
