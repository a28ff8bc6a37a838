package io.berth.sandbox.kind;

/** Rules of kinds that differ from the default in a single property. */
enum PlainRules implements KindRules {
  CREATED_ON_UPDATE(false, true),
  WITH_GENERATION(true, false);

  private final boolean generations;
  private final boolean createsOnUpdate;

  PlainRules(boolean generations, boolean createsOnUpdate) {
    this.generations = generations;
    this.createsOnUpdate = createsOnUpdate;
  }

  @Override
  public boolean countsGenerations() {
    return generations;
  }

  @Override
  public boolean createsOnUpdate() {
    return createsOnUpdate;
  }
}
