package io.berth.operator.owner;

import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.Owner;
import java.util.Optional;

/**
 * An object in a chain of owners.
 *
 * @param itself the object, as the root of a pod
 * @param controller what controls it; empty where nothing does, and it is the root
 */
record Link(Owner itself, Optional<Controller> controller) {

  /**
   * An object as it was read.
   *
   * @param named the reference to it
   * @param baseName its generateName, or its name where it has none
   */
  static Link of(Controller named, String baseName, Optional<Controller> controller) {
    boolean isPod = FollowedKind.of(named).filter(FollowedKind.POD::equals).isPresent();
    return new Link(isPod ? new Owner(named.kind(), baseName) : named.asOwner(), controller);
  }

  /** A deleted object: its pods have no other root. */
  static Link end(Controller gone) {
    return new Link(gone.asOwner(), Optional.empty());
  }
}
