package io.berth.operator.owner;

import io.berth.webhook.binding.Controller;
import io.berth.webhook.binding.Owner;
import java.util.Optional;

/**
 * An object in an owner chain.
 *
 * @param itself the object, as the root owner of a pod
 * @param controller the object's controller; empty if it has none and thus is the root
 */
record Link(Owner itself, Optional<Controller> controller) {

  /**
   * Returns the link for an object that was read.
   *
   * @param named the reference to the object
   * @param baseName its generateName, or its name if it has none
   * @param controller its controller
   */
  static Link of(Controller named, String baseName, Optional<Controller> controller) {
    boolean isPod = FollowedKind.of(named).filter(FollowedKind.POD::equals).isPresent();
    return new Link(isPod ? new Owner(named.kind(), baseName) : named.asOwner(), controller);
  }

  /** Returns the link for a deleted object, which is the root for its pods. */
  static Link end(Controller gone) {
    return new Link(gone.asOwner(), Optional.empty());
  }
}
