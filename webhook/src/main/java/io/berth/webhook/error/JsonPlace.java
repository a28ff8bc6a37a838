package io.berth.webhook.error;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;

/**
 * The position at which a text is no longer valid JSON. The parser's own message is for programmers
 * and is left out.
 */
public final class JsonPlace {

  private JsonPlace() {}

  /** The words {@code : line 1, column 5}; none where the parser does not say. */
  public static String of(Exception failure) {
    if (!(failure instanceof JsonProcessingException parsing)) {
      return "";
    }
    JsonLocation location = parsing.getLocation();
    return location == null || location.getLineNr() < 1
        ? ""
        : ": line " + location.getLineNr() + ", column " + location.getColumnNr();
  }
}
