package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The merge types of the built-in kinds, read from the table {@code builtin-merge-types.txt} beside
 * this class, which explains its own format.
 */
final class BuiltInMergeTypes {
  private static final JsonNode TCP = TextNode.valueOf("TCP");

  private final Map<String, MergeType> roots = new HashMap<>();
  private final Map<String, NamedType> types = new HashMap<>();

  private BuiltInMergeTypes() {}

  /** Reads the table. */
  static BuiltInMergeTypes load() {
    BuiltInMergeTypes loaded = new BuiltInMergeTypes();
    try (InputStream table =
            BuiltInMergeTypes.class.getResourceAsStream("builtin-merge-types.txt");
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          loaded.read(line.strip());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the table of merge types cannot be read", e);
    }
    return loaded;
  }

  /**
   * The type of a kind that the table names.
   *
   * @param apiVersion as objects spell it, {@code v1} or {@code apps/v1}
   */
  Optional<MergeType> find(String apiVersion, String kind) {
    String key = (apiVersion.indexOf('/') < 0 ? "/" + apiVersion : apiVersion) + "/" + kind;
    return Optional.ofNullable(roots.get(key));
  }

  /** The type of an object of which nothing but its metadata is known. */
  MergeType anyObject() {
    MergeType metadata = type("ObjectMeta");
    return new MergeType() {
      @Override
      public MergeType member(String name) {
        return name.equals("metadata") ? metadata : DEDUCED;
      }
    };
  }

  /** The type of {@code metadata} of every object. */
  MergeType objectMeta() {
    return type("ObjectMeta");
  }

  private NamedType type(String name) {
    return types.computeIfAbsent(name, ignored -> new NamedType());
  }

  private void read(String line) {
    List<String> words = List.of(line.split("\\s+"));
    if (words.getFirst().equals("root")) {
      roots.put(words.get(1), type(words.get(2)));
      return;
    }
    int dot = words.getFirst().indexOf('.');
    if (dot < 0) {
      type(words.getFirst()).atomic = words.get(1).equals("atomic");
      return;
    }
    NamedType owner = type(words.getFirst().substring(0, dot));
    String name = words.getFirst().substring(dot + 1);
    owner.members.put(name, field(words));
  }

  private MergeType field(List<String> words) {
    String patch =
        words.stream()
            .filter(word -> word.startsWith("patch="))
            .map(word -> word.substring("patch=".length()))
            .findFirst()
            .orElse("");
    return switch (words.get(1)) {
      case "object" ->
          words.contains("replace") ? new Replaced(type(words.get(2))) : type(words.get(2));
      case "values" -> new Values(type(words.get(2)));
      case "items" -> new Listed(MergeType.Items.ATOMIC, List.of(), type(words.get(2)), key(patch));
      case "map" -> {
        List<String> keys = List.of(words.get(2).split(","));
        String patchKey = patch.isEmpty() ? keys.getFirst() : patch;
        yield new Listed(MergeType.Items.MAP, keys, type(words.get(3)), key(patchKey));
      }
      case "set" -> new ScalarSet();
      case "atomic" -> new Atomic();
      default -> throw new IllegalStateException("unknown word in table: " + words);
    };
  }

  private static @Nullable String key(String patch) {
    return patch.isEmpty() || patch.equals("none") ? null : patch;
  }

  private static final class NamedType implements MergeType {
    private final Map<String, MergeType> members = new HashMap<>();
    private boolean atomic;

    @Override
    public MergeType member(String name) {
      return members.getOrDefault(name, DEDUCED);
    }

    @Override
    public boolean atomic() {
      return atomic;
    }
  }

  private record Atomic() implements MergeType {
    @Override
    public boolean atomic() {
      return true;
    }
  }

  private record Replaced(MergeType type) implements MergeType {
    @Override
    public MergeType member(String name) {
      return type.member(name);
    }

    @Override
    public boolean atomic() {
      return type.atomic();
    }

    @Override
    public boolean patchReplaces() {
      return true;
    }
  }

  private record Values(MergeType type) implements MergeType {
    @Override
    public MergeType member(String name) {
      return type;
    }
  }

  private record ScalarSet() implements MergeType {
    @Override
    public Items items() {
      return Items.SET;
    }

    @Override
    public boolean patchMerges() {
      return true;
    }
  }

  private record Listed(Items items, List<String> keys, MergeType item, @Nullable String patchKey)
      implements MergeType {
    @Override
    public boolean patchMerges() {
      return patchKey != null;
    }

    @Override
    public @Nullable JsonNode keyDefault(String key) {
      return key.equals("protocol") ? TCP : null;
    }
  }
}
