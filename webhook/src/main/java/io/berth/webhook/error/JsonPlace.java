package io.berth.webhook.error;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;

/**
 * The position of a JSON syntax error. The parser's own message is omitted, because it is meant for
 * programmers.
 */
public final class JsonPlace {

  private JsonPlace() {}

  /** Returns text such as {@code : line 1, column 5}; empty if the position is unknown. */
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
