package io.berth.operator.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The parameters in the query of a URL; of several with one name, the first counts. */
public final class QueryParameters {
  private final Map<String, String> values;

  private QueryParameters(Map<String, String> values) {
    this.values = values;
  }

  /** Returns the parameters of an undecoded query; what cannot be decoded is left out. */
  public static QueryParameters of(String query) {
    Map<String, String> values = new HashMap<>();
    for (String parameter : query.split("&")) {
      int equals = parameter.indexOf('=');
      if (equals > 0) {
        decoded(parameter.substring(equals + 1))
            .ifPresent(value -> values.putIfAbsent(parameter.substring(0, equals), value));
      }
    }
    return new QueryParameters(values);
  }

  private static Optional<String> decoded(String value) {
    try {
      return Optional.of(URLDecoder.decode(value, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException invalid) {
      return Optional.empty();
    }
  }

  /** Returns the value of a parameter; empty if there is none. */
  public String first(String name) {
    return values.getOrDefault(name, "");
  }

  /** Returns a parameter that is a positive number; empty if it is not. */
  public Optional<Integer> number(String name) {
    try {
      return Optional.of(Integer.parseInt(first(name))).filter(number -> number > 0);
    } catch (NumberFormatException notANumber) {
      return Optional.empty();
    }
  }
}
