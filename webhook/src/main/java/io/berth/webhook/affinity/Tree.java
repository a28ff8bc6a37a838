package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.POJONode;
import io.berth.crds.ParameterType;

/** Reads trees in which values may be {@link Undetermined}. */
final class Tree {

  static final String CONDITION = "$if";

  private Tree() {}

  static boolean isUndetermined(JsonNode node, ParameterType type) {
    return node.isPojo()
        && ((POJONode) node).getPojo() instanceof Undetermined value
        && value.type() == type;
  }

  /** Returns the type of an undetermined node. */
  static ParameterType typeOf(JsonNode node) {
    return node.isPojo() && ((POJONode) node).getPojo() instanceof Undetermined value
        ? value.type()
        : ParameterType.STRING;
  }

  static boolean isKnown(JsonNode node) {
    return !node.isPojo();
  }

  /** Returns whether an object depends on an undetermined condition. */
  static boolean isConditional(JsonNode object) {
    return object.has(CONDITION);
  }
}
