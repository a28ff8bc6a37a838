package io.berth.engine.quantity;

/** A text that is not a quantity, or not one that can be asked for or offered. */
public final class QuantityFormatException extends IllegalArgumentException {
  QuantityFormatException(String message) {
    super(message);
  }
}
