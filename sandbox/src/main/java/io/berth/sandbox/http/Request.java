package io.berth.sandbox.http;

import com.sun.net.httpserver.HttpExchange;
import io.berth.sandbox.failure.Failures;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An HTTP request with decoded path and query parameters. */
final class Request {
  private static final int BODY_LIMIT = 3 * 1024 * 1024;

  private final HttpExchange exchange;
  private final List<String> path;
  private final Map<String, String> parameters;
  private final List<String> warnings = new ArrayList<>();
  private final List<String> duplicates = new ArrayList<>();

  Request(HttpExchange exchange) {
    this.exchange = exchange;
    this.path = segments(exchange.getRequestURI().getRawPath());
    this.parameters = parameters(exchange.getRequestURI().getRawQuery());
  }

  private static List<String> segments(String raw) {
    List<String> segments = new ArrayList<>();
    for (String segment : raw.split("/", -1)) {
      if (!segment.isEmpty()) {
        segments.add(decode(segment.replace("+", "%2B")));
      }
    }
    return List.copyOf(segments);
  }

  private static Map<String, String> parameters(@Nullable String raw) {
    Map<String, String> parameters = new LinkedHashMap<>();
    if (raw != null) {
      for (String pair : raw.split("&", -1)) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        if (!name.isEmpty()) {
          parameters.putIfAbsent(
              decode(name), equals < 0 ? "" : decode(pair.substring(equals + 1)));
        }
      }
    }
    return parameters;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Failures.badRequest("the URL contains a malformed escape: " + text);
    }
  }

  HttpExchange exchange() {
    return exchange;
  }

  String method() {
    return exchange.getRequestMethod();
  }

  List<String> path() {
    return path;
  }

  String rawPath() {
    return exchange.getRequestURI().getPath();
  }

  String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  boolean flag(String name) {
    String value = parameter(name);
    return value.equals("true") || value.equals("1");
  }

  Optional<Long> number(String name) {
    String value = parameter(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      throw Failures.badRequest(
          "strconv.ParseInt: parsing \"" + value + "\": invalid syntax (parameter " + name + ")");
    }
  }

  String header(String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  /** The client's name: the User-Agent up to its first space. */
  String agent() {
    String agent = header("User-Agent");
    int space = agent.indexOf(' ');
    return space < 0 ? agent : agent.substring(0, space);
  }

  /** The default field manager: the User-Agent up to its first slash. */
  String agentName() {
    String agent = agent();
    int slash = agent.indexOf('/');
    String name = slash < 0 ? agent : agent.substring(0, slash);
    return name.isEmpty() ? "unknown" : name;
  }

  byte[] body() throws IOException {
    byte[] body = exchange.getRequestBody().readNBytes(announced());
    if (body.length > BODY_LIMIT) {
      throw Failures.tooLarge(BODY_LIMIT);
    }
    return body;
  }

  /**
   * Returns the number of bytes to read, from the Content-Length header if present, so that the
   * buffer is not larger than the body.
   */
  private int announced() {
    String length = header("Content-Length");
    if (!length.isEmpty() && length.length() < 10 && length.chars().allMatch(Character::isDigit)) {
      return Math.min(BODY_LIMIT + 1, Integer.parseInt(length));
    }
    return BODY_LIMIT + 1;
  }

  /** Records a field that the body contains more than once. */
  void duplicate(String path) {
    duplicates.add(path);
  }

  /** The fields that the body contains more than once. */
  List<String> duplicates() {
    return List.copyOf(duplicates);
  }

  /** Adds a Warning header to the response. Repeated texts are added once. */
  void warn(String text) {
    if (!warnings.contains(text)) {
      warnings.add(text);
    }
  }

  List<String> warnings() {
    return warnings;
  }
}
