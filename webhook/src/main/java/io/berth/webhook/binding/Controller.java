package io.berth.webhook.binding;

/**
 * A reference to the controller of an object, as in the object's owner references.
 *
 * @param apiVersion the group and version of the controller's kind
 * @param uid the controller's UID; empty if it has none yet
 */
public record Controller(String apiVersion, String kind, String name, String uid) {

  /** Returns the controller itself as an owner. */
  public Owner asOwner() {
    return new Owner(kind, name);
  }
}
