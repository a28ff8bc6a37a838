package io.berth.engine.devices;

import java.util.Optional;

/**
 * A toleration of a request.
 *
 * @param key empty for any key
 * @param operator {@code Equal}, {@code Exists}, or empty, which means Equal
 * @param effect empty for any effect
 * @param seconds how long a NoExecute taint is tolerated; absent for no limit
 */
public record DeviceToleration(
    String key, String operator, String value, String effect, Optional<Long> seconds) {

  boolean tolerates(DeviceTaint taint) {
    if (!effect.isEmpty() && !effect.equals(taint.effect())) {
      return false;
    }
    if (!key.isEmpty() && !key.equals(taint.key())) {
      return false;
    }
    return switch (operator) {
      case "", "Equal" -> value.equals(taint.value());
      case "Exists" -> true;
      default -> false;
    };
  }
}
