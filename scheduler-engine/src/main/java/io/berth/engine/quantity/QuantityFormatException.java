package io.berth.engine.quantity;

/** Thrown if a text is not a quantity, or not a valid one for requests and capacities. */
public final class QuantityFormatException extends IllegalArgumentException {
  QuantityFormatException(String message) {
    super(message);
  }
}
