package io.berth.webhook.binding;

import io.berth.webhook.rollout.Sha256;

/**
 * Selects the owners that a rollout with a percentage includes.
 *
 * <p>A hash maps every pair of binding and owner to a fixed number from 0 to 99; the rollout
 * includes the numbers below its percentage. Raising the percentage therefore adds owners and
 * removes none, and each binding selects a different subset.
 */
final class RolloutShare {
  private RolloutShare() {}

  static boolean reaches(int percent, String bindingUid, String namespace, Owner owner) {
    if (percent <= 0 || percent >= 100) {
      return percent > 0;
    }
    return place(bindingUid, namespace, owner) < percent;
  }

  private static int place(String bindingUid, String namespace, Owner owner) {
    String text = String.join("\0", bindingUid, namespace, owner.kind(), owner.name());
    byte[] hash = Sha256.of(text);
    int number =
        (hash[0] & 0xff) << 24 | (hash[1] & 0xff) << 16 | (hash[2] & 0xff) << 8 | (hash[3] & 0xff);
    return Integer.remainderUnsigned(number, 100);
  }
}
