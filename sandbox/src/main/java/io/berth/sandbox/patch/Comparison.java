package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two values of the same type: the paths that were added, modified, and
 * removed.
 */
record Comparison(FieldSet added, FieldSet modified, FieldSet removed) {

  static Comparison of(JsonNode before, JsonNode after, MergeType type) {
    Comparison comparison = new Comparison(new FieldSet(), new FieldSet(), new FieldSet());
    comparison.compare(before, after, type, new ArrayList<>());
    return comparison;
  }

  FieldSet written() {
    return added.union(modified);
  }

  private void compare(
      @Nullable JsonNode before, @Nullable JsonNode after, MergeType type, List<String> path) {
    if (before != null && after != null && JsonValues.equal(before, after)) {
      return;
    }
    JsonNode shape = after != null ? after : before;
    boolean sameShape =
        before == null || after == null || before.getNodeType() == after.getNodeType();
    boolean bothEmpty = empty(before) && empty(after);
    if (sameShape && !bothEmpty && shape instanceof ObjectNode && !type.atomic()) {
      compareMaps(before, after, type, path);
    } else if (sameShape
        && !bothEmpty
        && shape instanceof ArrayNode
        && type.items() != MergeType.Items.ATOMIC) {
      compareLists(before, after, type, path);
    } else {
      compareLeaves(before, after, path);
      return;
    }
    if (before == null) {
      added.insert(path);
    } else if (after == null) {
      removed.insert(path);
    }
  }

  private static boolean empty(@Nullable JsonNode value) {
    return value == null || value.isEmpty();
  }

  private void compareLeaves(
      @Nullable JsonNode before, @Nullable JsonNode after, List<String> path) {
    if (before == null) {
      added.insert(path);
    } else if (after == null) {
      removed.insert(path);
    } else if (!JsonValues.equal(before, after)) {
      modified.insert(path);
    }
  }

  private void compareMaps(
      @Nullable JsonNode before, @Nullable JsonNode after, MergeType type, List<String> path) {
    Set<String> names = new LinkedHashSet<>();
    if (before != null) {
      before.fieldNames().forEachRemaining(names::add);
    }
    if (after != null) {
      after.fieldNames().forEachRemaining(names::add);
    }
    for (String name : names) {
      path.add(PathElements.field(name));
      compare(
          before == null ? null : before.get(name),
          after == null ? null : after.get(name),
          type.member(name),
          path);
      path.removeLast();
    }
  }

  private void compareLists(
      @Nullable JsonNode before, @Nullable JsonNode after, MergeType type, List<String> path) {
    Map<String, JsonNode> old = index(before, type);
    Map<String, JsonNode> now = index(after, type);
    Set<String> elements = new LinkedHashSet<>(old.keySet());
    elements.addAll(now.keySet());
    for (String element : elements) {
      path.add(element);
      compare(old.get(element), now.get(element), type.item(), path);
      path.removeLast();
    }
  }

  static Map<String, JsonNode> index(@Nullable JsonNode list, MergeType type) {
    Map<String, JsonNode> items = new LinkedHashMap<>();
    if (list != null) {
      for (JsonNode item : list) {
        String element = PathElements.item(type, item);
        if (element != null) {
          items.putIfAbsent(element, item);
        }
      }
    }
    return items;
  }
}
