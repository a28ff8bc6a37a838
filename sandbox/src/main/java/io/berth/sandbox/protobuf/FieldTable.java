package io.berth.sandbox.protobuf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The fields of each message. Read from the resource {@code wire-fields.txt}. */
final class FieldTable {
  private static final String RESOURCE = "wire-fields.txt";

  private final Map<String, String> kinds = new HashMap<>();
  private final Map<String, Map<Integer, WireField>> messages = new HashMap<>();

  private FieldTable() {}

  static FieldTable load() {
    FieldTable table = new FieldTable();
    Map<Integer, WireField> fields = Map.of();
    for (String line : read().lines().toList()) {
      List<String> words = List.of(line.strip().split(" ", -1));
      if (line.startsWith("\t")) {
        fields.put(
            Integer.valueOf(words.getFirst()), WireField.parse(words.get(1), words.getLast()));
      } else if (line.startsWith("kind ")) {
        table.kinds.put(words.get(1), words.getLast());
      } else if (!line.startsWith("#") && !line.isEmpty()) {
        fields = table.messages.computeIfAbsent(line, name -> new HashMap<>());
      }
    }
    return table;
  }

  private static String read() {
    try (InputStream in = FieldTable.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the sandbox's jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " could not be read", e);
    }
  }

  /** The message of a kind, empty if the kind has none here. */
  Optional<String> message(String apiVersion, String kind) {
    String key = (apiVersion.contains("/") ? apiVersion : "/" + apiVersion) + "/" + kind;
    return Optional.ofNullable(kinds.getOrDefault(key, kinds.get("*/" + kind)));
  }

  /** The fields of a message, by number. */
  Map<Integer, WireField> fields(String message) {
    return messages.getOrDefault(message, Map.of());
  }
}
