package io.berth.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.OptionalInt;

/** The answer of an API server at {@code /version}. */
public final class ServerVersion {
  /** The path of the question. */
  public static final String PATH = "/version";

  private static final int MOST_DIGITS = 4;

  private ServerVersion() {}

  /**
   * Returns the minor version, such as 36 of "36+", as some providers write it; empty if there is
   * none.
   */
  public static OptionalInt minorOf(JsonNode version) {
    String minor = version.path("minor").asText("").replaceAll("[^0-9].*", "");
    return minor.isEmpty() || minor.length() > MOST_DIGITS
        ? OptionalInt.empty()
        : OptionalInt.of(Integer.parseInt(minor));
  }
}
