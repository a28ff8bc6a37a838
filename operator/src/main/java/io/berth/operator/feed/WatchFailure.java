package io.berth.operator.feed;

/**
 * The reason for which a kind could not be listed or watched.
 *
 * @param verb {@code list} or {@code watch}
 * @param resource the kind's plural with its group, such as {@code replicasets.apps}
 * @param reason the HTTP status, or {@code no_answer}, or {@code silent}: a label of metrics
 * @param message the API server's words, or what happened instead of an answer
 */
public record WatchFailure(String verb, String resource, String reason, String message) {

  static final String NOT_FOUND = "404";
  static final String NO_ANSWER = "no_answer";
  static final String SILENT = "silent";

  /** The failure in a sentence, without its subject. */
  public String text() {
    return "cannot " + verb + " " + resource + ": " + message;
  }

  boolean sameProblem(WatchFailure other) {
    return verb.equals(other.verb) && reason.equals(other.reason);
  }
}
