package io.berth.operator.convert;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** An object of Berth that results from a conversion. */
public sealed interface ConvertedObject permits ConvertedPolicy, ConvertedQueue {
  /** Returns how pods come to use the object, as a comment above it. */
  String use();

  /** Returns the object without the fields that equal the defaults. */
  ObjectNode manifest();
}
