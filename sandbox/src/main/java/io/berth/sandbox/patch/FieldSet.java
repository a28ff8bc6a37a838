package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of paths in an object, as in the {@code fieldsV1} of managed fields: a tree of path
 * elements ({@code f:name}, <code>k:{"key":"value"}</code>, {@code v:value}) in which a node can be
 * a member itself (".") in addition to having members below it.
 */
final class FieldSet {
  private boolean member;

  /** Most nodes are leaves, so the map is created with the first child. */
  private Map<String, FieldSet> children = Map.of();

  private Map<String, FieldSet> ownChildren() {
    if (children.isEmpty()) {
      children = new TreeMap<>();
    }
    return children;
  }

  /** Returns the set of these paths. */
  @SafeVarargs
  static FieldSet of(List<String>... paths) {
    FieldSet set = new FieldSet();
    for (List<String> path : paths) {
      set.insert(path);
    }
    return set;
  }

  static FieldSet parse(JsonNode fieldsV1) {
    FieldSet set = new FieldSet();
    fieldsV1
        .properties()
        .forEach(
            entry -> {
              if (entry.getKey().equals(".")) {
                set.member = true;
              } else {
                FieldSet child = parse(entry.getValue());
                if (child.isEmpty()) {
                  child.member = true;
                }
                set.ownChildren().put(entry.getKey(), child);
              }
            });
    return set;
  }

  ObjectNode toFieldsV1() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    if (member && !children.isEmpty()) {
      node.putObject(".");
    }
    children.forEach((element, child) -> node.set(element, child.toFieldsV1()));
    return node;
  }

  boolean isEmpty() {
    return !member && children.isEmpty();
  }

  /** Adds a path. Only for use while the set is being built. */
  void insert(List<String> path) {
    FieldSet node = this;
    for (String element : path) {
      node = node.ownChildren().computeIfAbsent(element, ignored -> new FieldSet());
    }
    node.member = true;
  }

  /** Returns whether a direct child is a member. */
  boolean has(String element) {
    FieldSet child = children.get(element);
    return child != null && child.member;
  }

  /** Returns the set of the paths below an element; empty if there are none. */
  FieldSet below(String element) {
    FieldSet child = children.get(element);
    FieldSet result = new FieldSet();
    if (child != null && !child.children.isEmpty()) {
      result.ownChildren().putAll(child.children);
    }
    return result;
  }

  FieldSet union(FieldSet other) {
    if (isEmpty()) {
      return other;
    }
    if (other.isEmpty()) {
      return this;
    }
    FieldSet result = new FieldSet();
    result.member = member || other.member;
    if (!children.isEmpty() || !other.children.isEmpty()) {
      Map<String, FieldSet> united = result.ownChildren();
      united.putAll(children);
      other.children.forEach((element, child) -> united.merge(element, child, FieldSet::union));
    }
    return result;
  }

  FieldSet minus(FieldSet other) {
    FieldSet result = new FieldSet();
    result.member = member && !other.member;
    children.forEach(
        (element, child) -> {
          FieldSet theirs = other.children.get(element);
          FieldSet rest = theirs == null ? child : child.minus(theirs);
          if (!rest.isEmpty()) {
            result.ownChildren().put(element, rest);
          }
        });
    return result;
  }

  FieldSet intersect(FieldSet other) {
    FieldSet result = new FieldSet();
    result.member = member && other.member;
    children.forEach(
        (element, child) -> {
          FieldSet theirs = other.children.get(element);
          if (theirs != null) {
            FieldSet both = child.intersect(theirs);
            if (!both.isEmpty()) {
              result.ownChildren().put(element, both);
            }
          }
        });
    return result;
  }

  /** Returns this set without the members of another set and everything below them. */
  FieldSet withoutTrees(FieldSet roots) {
    if (roots.member) {
      return new FieldSet();
    }
    FieldSet result = new FieldSet();
    result.member = member;
    children.forEach(
        (element, child) -> {
          FieldSet below = roots.children.get(element);
          FieldSet rest = below == null ? child : child.withoutTrees(below);
          if (!rest.isEmpty()) {
            result.ownChildren().put(element, rest);
          }
        });
    return result;
  }

  /** Returns this set with every field on the path to a member added as a member. */
  FieldSet withFieldsAsMembers() {
    FieldSet result = new FieldSet();
    result.member = member;
    children.forEach(
        (element, child) -> {
          FieldSet deep = child.withFieldsAsMembers();
          deep.member |= element.startsWith("f:");
          result.ownChildren().put(element, deep);
        });
    return result;
  }

  /**
   * Returns the paths of all members as error messages show them: {@code
   * .spec.containers[name="x"].image}.
   */
  List<String> paths() {
    List<String> paths = new ArrayList<>();
    collect("", paths);
    return paths;
  }

  private void collect(String prefix, List<String> paths) {
    if (member) {
      paths.add(prefix);
    }
    for (Map.Entry<String, FieldSet> child : children.entrySet()) {
      child.getValue().collect(prefix + PathElements.words(child.getKey()), paths);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FieldSet set && member == set.member && children.equals(set.children);
  }

  @Override
  public int hashCode() {
    return children.hashCode() * 31 + (member ? 1 : 0);
  }

  @Override
  public String toString() {
    return toFieldsV1().toString();
  }
}
