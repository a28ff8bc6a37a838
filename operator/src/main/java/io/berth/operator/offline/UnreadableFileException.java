package io.berth.operator.offline;

/**
 * Thrown for a file that cannot be read as manifests. The message is one line: what, where, what to
 * do.
 */
public final class UnreadableFileException extends Exception {

  private static final long serialVersionUID = 1L;

  public UnreadableFileException(String message) {
    super(message);
  }
}
