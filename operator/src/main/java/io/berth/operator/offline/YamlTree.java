package io.berth.operator.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/**
 * Converts the nodes of a YAML document to JSON as kubectl does: an alias stands for a copy of its
 * anchor, {@code <<} merges mappings, and keys are strings. Unlike kubectl, which takes the last of
 * two equal keys, this rejects them.
 */
final class YamlTree {

  /** The maximum number of nodes that a document may have when its aliases are copied. */
  private static final int MOST_NODES = 2_000_000;

  private static final String MERGE = "<<";

  /** The tag of plain scalars without a tag, whose text says what they are. */
  private static final Tag IMPLICIT = new Tag("!implicit");

  private static final Set<Tag> RESOLVED = Set.of(IMPLICIT, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL);
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Set<Node> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private int nodes;

  /** Marks plain scalars without a tag, for {@link #of}. */
  static final class ImplicitTags extends Resolver {
    @Override
    public Tag resolve(NodeId kind, String value, boolean implicit) {
      return kind == NodeId.scalar && implicit ? IMPLICIT : super.resolve(kind, value, implicit);
    }
  }

  /** A node without an equivalent in JSON, with its position. */
  static final class InvalidNodeException extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient @Nullable Mark mark;

    private InvalidNodeException(Node node, String message) {
      super(message);
      this.mark = node.getStartMark();
    }

    @Nullable Mark mark() {
      return mark;
    }
  }

  private YamlTree() {}

  /** Converts a document that was composed with {@link ImplicitTags}. */
  static JsonNode of(Node document) throws InvalidNodeException {
    return new YamlTree().convert(document);
  }

  private JsonNode convert(Node node) throws InvalidNodeException {
    if (++nodes > MOST_NODES) {
      throw new InvalidNodeException(
          node,
          "the document has more than %,d nodes with its aliases: split it, or use fewer aliases"
              .formatted(MOST_NODES));
    }
    if (!open.add(node)) {
      throw new InvalidNodeException(
          node, "the anchor contains an alias to itself: write out what is meant");
    }
    try {
      return switch (node) {
        case MappingNode mapping -> mapping(mapping);
        case SequenceNode sequence -> sequence(sequence);
        case ScalarNode scalar -> scalar(scalar);
        default ->
            throw new IllegalStateException("a composed node is none of the three kinds: " + node);
      };
    } finally {
      open.remove(node);
    }
  }

  private ArrayNode sequence(SequenceNode sequence) throws InvalidNodeException {
    ArrayNode array = JSON.arrayNode();
    for (Node each : sequence.getValue()) {
      array.add(convert(each));
    }
    return array;
  }

  private ObjectNode mapping(MappingNode mapping) throws InvalidNodeException {
    ObjectNode object = JSON.objectNode();
    List<Node> merged = new ArrayList<>();
    for (NodeTuple entry : mapping.getValue()) {
      if (isMerge(entry.getKeyNode())) {
        merged.add(entry.getValueNode());
        continue;
      }
      String key = key(entry.getKeyNode());
      if (object.has(key)) {
        throw new InvalidNodeException(
            entry.getKeyNode(), "the key \"" + key + "\" is there twice: remove one of them");
      }
      object.set(key, convert(entry.getValueNode()));
    }
    for (Node each : merged) {
      merge(each, object);
    }
    return object;
  }

  /** Adds the entries whose keys are absent; the first of several mappings takes precedence. */
  private void merge(Node source, ObjectNode object) throws InvalidNodeException {
    List<Node> mappings =
        source instanceof SequenceNode sequence ? sequence.getValue() : List.of(source);
    for (Node each : mappings) {
      if (!(each instanceof MappingNode) || !(convert(each) instanceof ObjectNode other)) {
        throw new InvalidNodeException(
            each, "the value of the merge key << must be a mapping, or a list of mappings");
      }
      other.properties().forEach(entry -> object.putIfAbsent(entry.getKey(), entry.getValue()));
    }
  }

  private static boolean isMerge(Node key) {
    return key instanceof ScalarNode scalar && scalar.isPlain() && scalar.getValue().equals(MERGE);
  }

  private static String key(Node key) throws InvalidNodeException {
    if (key instanceof ScalarNode scalar) {
      JsonNode value = scalar(scalar);
      if (!value.isNull()) {
        return value.asText();
      }
    }
    throw new InvalidNodeException(
        key, "a key must be a string, a number, or a boolean: quote it if it is text");
  }

  private static JsonNode scalar(ScalarNode scalar) throws InvalidNodeException {
    String text = scalar.getValue();
    if (scalar.getTag().equals(Tag.BINARY)) {
      try {
        return JSON.textNode(
            new String(Base64.getMimeDecoder().decode(text), StandardCharsets.UTF_8));
      } catch (IllegalArgumentException e) {
        throw new InvalidNodeException(scalar, "!!binary is not followed by base64 text");
      }
    }
    if (!RESOLVED.contains(scalar.getTag())) {
      return JSON.textNode(text);
    }
    return YamlScalar.of(text)
        .orElseThrow(
            () ->
                new InvalidNodeException(
                    scalar, text + " is no number of JSON: quote it if it is text"));
  }
}
