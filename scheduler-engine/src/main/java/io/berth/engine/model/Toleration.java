package io.berth.engine.model;

import java.util.Optional;

/**
 * A pod's toleration.
 *
 * @param key the taint's key; empty tolerates any key (with {@code exists})
 * @param exists whether any value of the key is tolerated; otherwise the value must be equal
 * @param effect the taint's effect; absent tolerates every effect
 */
public record Toleration(String key, boolean exists, String value, Optional<TaintEffect> effect) {

  /** Returns whether the taint is tolerated. */
  public boolean tolerates(Taint taint) {
    if (effect.isPresent() && effect.get() != taint.effect()) {
      return false;
    }
    if (!key.isEmpty() && !key.equals(taint.key())) {
      return false;
    }
    return exists || value.equals(taint.value());
  }
}
