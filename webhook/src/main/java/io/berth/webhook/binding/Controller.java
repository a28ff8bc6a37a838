package io.berth.webhook.binding;

/**
 * A reference to the object that controls another one, as that one's metadata names it.
 *
 * @param apiVersion group and version of the object's kind
 * @param uid the object's UID; empty where it has none yet
 */
public record Controller(String apiVersion, String kind, String name, String uid) {

  /** The controller itself as an owner. */
  public Owner asOwner() {
    return new Owner(kind, name);
  }
}
