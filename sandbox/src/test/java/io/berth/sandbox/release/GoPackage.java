package io.berth.sandbox.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The types of a Go package. Only the parts of the language that Kubernetes API packages use are
 * supported: structs with tagged fields, named types, string constants, and markers in comments.
 *
 * @param structs fields of the structs, by name
 * @param named underlying types of named types, for example {@code map[string]string}
 * @param constants values of string types, in source order
 * @param markers markers of named types and structs
 * @param group API group of the kinds
 */
record GoPackage(
    Map<String, List<GoField>> structs,
    Map<String, String> named,
    Map<String, List<String>> constants,
    Map<String, GoMarkers> markers,
    String group) {
  private static final Pattern IMPORT =
      Pattern.compile("^(?:\t|import )(?:(\\w+) +)?\"([^\"]+)\"$");
  private static final Pattern STRUCT = Pattern.compile("^type (\\w+) struct ?\\{(})?.*$");
  private static final Pattern NAMED = Pattern.compile("^type (\\w+) ([\\w.*\\[\\]]+)$");
  private static final Pattern FIELD =
      Pattern.compile("^\\s+(?:(\\w+)\\s+)?([\\w.*\\[\\]]+)\\s+`([^`]*)`.*$");
  private static final Pattern CONSTANT =
      Pattern.compile("^(?:const)?\\s+\\w+\\s+(\\w+)\\s*= *\"([^\"]*)\".*$");
  private static final Pattern ALIAS = Pattern.compile("(\\w+)\\.");
  private static final Pattern GROUP = Pattern.compile("^// \\+groupName=(.*)$");

  /** Reads the folder of a package. */
  static GoPackage read(Path folder) throws IOException {
    GoPackage read =
        new GoPackage(
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            groupOf(folder).orElseGet(() -> folder.getParent().getFileName().toString()));
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(GoPackage::declaresTypes).sorted().toList()) {
        read.add(Files.readAllLines(file));
      }
    }
    return read;
  }

  private static boolean declaresTypes(Path file) {
    String name = file.getFileName().toString();
    return name.startsWith("types")
        && name.endsWith(".go")
        && !name.endsWith("_test.go")
        && !name.contains("generated");
  }

  private static Optional<String> groupOf(Path folder) throws IOException {
    for (String line : Files.readAllLines(folder.resolve("doc.go"))) {
      Matcher group = GROUP.matcher(line);
      if (group.matches()) {
        return Optional.of(group.group(1));
      }
    }
    return Optional.empty();
  }

  /** Adds the declarations of a file. */
  void add(List<String> lines) {
    Map<String, String> imports = new LinkedHashMap<>();
    GoMarkers comment = GoMarkers.NONE;
    GoMarkers earlier = GoMarkers.NONE;
    List<GoField> fields = new ArrayList<>();
    boolean inStruct = false;
    for (String line : lines) {
      Matcher imported = IMPORT.matcher(line);
      Matcher struct = STRUCT.matcher(line);
      Matcher named = NAMED.matcher(line);
      Matcher field = FIELD.matcher(line);
      Matcher constant = CONSTANT.matcher(line);
      if (line.strip().startsWith("//")) {
        comment = comment.with(line.strip());
        continue;
      }
      if (inStruct && line.equals("}")) {
        inStruct = false;
      } else if (inStruct && field.matches()) {
        String type = qualified(field.group(2), imports);
        fields.add(GoField.of(field.group(1), type, field.group(3), comment));
      } else if (imported.matches()) {
        String path = imported.group(2);
        String alias = imported.group(1);
        imports.put(alias == null ? path.substring(path.lastIndexOf('/') + 1) : alias, path);
      } else if (struct.matches()) {
        fields = new ArrayList<>();
        structs.put(struct.group(1), fields);
        markers.put(struct.group(1), earlier.and(comment));
        inStruct = struct.group(2) == null;
      } else if (named.matches()) {
        this.named.put(named.group(1), qualified(named.group(2), imports));
        markers.put(named.group(1), earlier.and(comment));
      } else if (constant.matches()) {
        constants
            .computeIfAbsent(constant.group(1), type -> new ArrayList<>())
            .add(constant.group(2));
      }
      earlier = line.isBlank() ? comment : GoMarkers.NONE;
      comment = GoMarkers.NONE;
    }
  }

  private static String qualified(String type, Map<String, String> imports) {
    return ALIAS
        .matcher(type)
        .replaceAll(alias -> imports.getOrDefault(alias.group(1), alias.group(1)) + ".");
  }
}
