package io.berth.sandbox.rest;

import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.resource.ResourceType;

/** The rules of all custom resources. */
final class CustomRules implements KindRules {
  private static final CustomRules WITH_STATUS = new CustomRules(false);
  private static final CustomRules WITHOUT_STATUS = new CustomRules(true);

  private final boolean keepsStatus;

  private CustomRules(boolean keepsStatus) {
    this.keepsStatus = keepsStatus;
  }

  static CustomRules of(ResourceType type) {
    return CustomResources.hasStatus(type) ? WITH_STATUS : WITHOUT_STATUS;
  }

  @Override
  public boolean keepsStatusOnCreate() {
    return keepsStatus;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public boolean allowsUnconditionalUpdate() {
    return false;
  }
}
