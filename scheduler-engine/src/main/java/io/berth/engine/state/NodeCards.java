package io.berth.engine.state;

import io.berth.engine.cards.CardChooser;
import io.berth.engine.cards.CardMap;
import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardShortage;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.CardTotals;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.CardWorths;
import io.berth.engine.cards.ClaimedCards;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.cards.HeldCards;
import io.berth.engine.cards.WorkloadMix;
import io.berth.engine.devices.DeviceCards;
import io.berth.engine.devices.DeviceTable;
import io.berth.engine.journal.Journal;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.CardHandout;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * GPU cards that pods hold, by node.
 *
 * <p>A pod whose annotations name its cards holds those. A pod that was placed by a decision holds
 * the chosen cards until its Binding is seen or has failed. If neither is known, pods that request
 * cards are not placed on the node, since any of its cards may be in use.
 */
public final class NodeCards implements Allocator {
  private final NodeTable nodes;
  private final CardTable table;
  private final CardWorths worths;
  private final ChangeLog deviceLog;
  private final DeviceTable devices;
  private final DeviceCards deviceCards;
  private long seenDevices;
  private long seenNodes;
  private final WorkloadMix mix;
  private final FreeCards free = new FreeCards();
  private final CardChooser chooser;
  private final PlannedCards planned = new PlannedCards();
  private Function<PodModel, CardRules> rules = pod -> CardRules.defaults();
  private long ruleChanges;

  /**
   * @param pods the present pods
   */
  NodeCards(
      Journal journal, NodeTable nodes, PodIndex pods, DeviceTable devices, ChangeLog deviceLog) {
    this.nodes = nodes;
    this.devices = devices;
    this.deviceLog = deviceLog;
    this.table = new CardTable(journal, nodes::roomForSlots);
    this.deviceCards = new DeviceCards(devices, table);
    this.mix = new WorkloadMix(table::usualMemory, deviceCards::modelsVersion);
    this.worths = new CardWorths(table);
    this.chooser = new CardChooser(table);
    mix.beginsWith(() -> pods.all().forEach(pod -> podArrived(pod.model())));
  }

  /** Returns the columns. */
  public CardTable table() {
    return table;
  }

  /** Returns the mix of the present pods. */
  public WorkloadMix mix() {
    return mix;
  }

  /** Counts a new pod in the mix, if anything has asked for it. */
  @Override
  public void podArrived(PodModel pod) {
    if (mix.isUsed()) {
      Optional<ClaimedCards> claimed =
          deviceCards.claimedBy(
              pod.ref().namespace(), pod.spec().devices(), pod.spec().requests().asked());
      mix.add(pod.createdAt(), pod.ref().uid(), pod.spec(), claimed);
    }
  }

  /** Counts a pod in the mix no more. */
  @Override
  public void podLeft(PodModel pod) {
    if (mix.isUsed()) {
      mix.remove(pod.createdAt(), pod.ref().uid(), pod.spec());
    }
  }

  @Override
  public boolean mayChangeHolding(PodModel before, PodModel after) {
    return !after.spec().cards().isEmpty()
        && !(before.cards().equals(after.cards())
            && before.cardHandout() == after.cardHandout()
            && before.nodeName().equals(after.nodeName()));
  }

  /** Returns whether the pod's new cards have to wait for the node's agent. */
  @Override
  public boolean dependsOnPlan(PodEntry pod, int slot) {
    return table.inventory(slot).atOnce() != CardInventory.AtOnce.ANY
        && !pod.spec().cards().isEmpty();
  }

  @Override
  public void putNode(int slot, NodeModel node) {
    table.put(slot, node.cards());
  }

  @Override
  public boolean replacesResources(NodeModel before, NodeModel after) {
    return !before.cards().equals(after.cards());
  }

  @Override
  public void removeNode(int slot) {
    table.put(slot, CardInventory.none());
  }

  /** Returns the devices of nodes as cards, as of the last call of {@link #worth}. */
  public DeviceCards deviceCards() {
    return deviceCards;
  }

  /** Returns the card rules of the policy of a pod. */
  CardRules rulesOf(PodModel pod) {
    return rules.apply(pod);
  }

  private void updateDevices() {
    if (!devices.hasSlices() && deviceCards.isEmpty()) {
      seenDevices = deviceLog.head();
      seenNodes = nodes.capacityLog().head();
      return;
    }
    seenDevices = deviceLog.visit(seenDevices, this::updateDevices);
    seenNodes = nodes.capacityLog().visit(seenNodes, this::updateDevices);
  }

  private void updateDevices(int slot) {
    deviceCards.update(slot, nodes.alive().contains(slot) ? nodes.model(slot) : null);
  }

  /** Returns the value of cards by these rules, at this time. */
  public CardWorth worth(CardRules by) {
    updateDevices();
    return worths.of(by.target().orElseGet(mix::target));
  }

  /** Sets the lookup of the card rules of a pod's policy. */
  public void setRules(Function<PodModel, CardRules> rulesOf) {
    this.rules = rulesOf;
  }

  /** Records that policies, and with them the rules of some pods, have changed. */
  public void rulesChanged() {
    ruleChanges++;
  }

  /**
   * Returns a version that grows with every change, other than of the node's own state, that
   * affects the choice of a pod's cards: the rules of policies, and the mix of pods that rules may
   * use.
   */
  public long rulesVersion() {
    return ruleChanges + mix.version();
  }

  /** Returns the node's CPU that is not requested by pods, in thousandths of a core. */
  public long freeMilliCpu(int slot) {
    return nodes.allocatable(ResourceNames.CPU, slot) - nodes.requested(ResourceNames.CPU, slot);
  }

  /**
   * Returns the cards of its node that a pod holds; empty if it holds none, or if they are unknown.
   */
  public Optional<CardAssignment> assignmentOf(PodEntry pod) {
    return CardHolding.heldBy(pod).map(CardHolding.Held::assignment);
  }

  /** Returns sums over the cards of all nodes. */
  public CardTotals totals() {
    long milliGpu = 0;
    long used = 0;
    int closed = 0;
    int unreadable = 0;
    Integer[] byFree = new Integer[CardTotals.FREE_RANGES];
    Arrays.fill(byFree, 0);
    List<CardTotals.Card> cards = new ArrayList<>();
    for (int slot = nodes.alive().next(0); slot >= 0; slot = nodes.alive().next(slot + 1)) {
      CardInventory inventory = table.inventory(slot);
      unreadable += inventory.problem().isPresent() ? 1 : 0;
      closed += table.isClosed(slot) ? 1 : 0;
      table.read(slot, free);
      for (int card = 0; card < table.count(slot); card++) {
        int usedOfCard = table.usedMilliCores(slot, card);
        if (inventory.cards().get(card).healthy()) {
          milliGpu += inventory.cards().get(card).milliCores();
          used += usedOfCard;
          byFree[CardTotals.freeRange(free.share(card))]++;
        }
        if (cards.size() <= CardTotals.MOST_CARDS) {
          cards.add(new CardTotals.Card(nodes.name(slot), inventory.id(card), usedOfCard));
        }
      }
    }
    return new CardTotals(
        milliGpu,
        used,
        closed,
        unreadable,
        List.of(byFree),
        cards.size() > CardTotals.MOST_CARDS ? List.of() : cards);
  }

  /** Returns the cards that the pod lacks, if it requests cards of a node that has some. */
  @Override
  public Optional<Shortage> shortage(PodEntry pod, int slot) {
    return pod.spec().cards().isEmpty() || table.count(slot) == 0
        ? Optional.empty()
        : Optional.of(new LackingCards(new CardShortage(table, slot, pod.spec().cards())));
  }

  /** Returns the cards of a node with the pods that hold them. */
  public CardMap map(int slot) {
    CardInventory inventory = table.inventory(slot);
    List<List<CardMap.Holder>> holders = new ArrayList<>();
    for (int card = 0; card < table.count(slot); card++) {
      holders.add(new ArrayList<>());
    }
    List<PodRef> unknown = new ArrayList<>();
    List<PodRef> awaiting = new ArrayList<>();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      PodEntry pod = nodes.pod(slot, i);
      for (Holding holding : pod.onNode) {
        if (holding instanceof CardHolding.Unknown) {
          unknown.add(pod.ref());
        } else if (holding instanceof CardHolding.Held held) {
          held.addTo(holders, pod, inventory);
          if (held.waiting().handout() != CardHandout.DONE) {
            awaiting.add(pod.ref());
          }
        }
      }
    }
    List<CardMap.CardUse> cards = new ArrayList<>();
    for (int card = 0; card < holders.size(); card++) {
      cards.add(
          new CardMap.CardUse(
              inventory.id(card),
              table.usedMilliCores(slot, card),
              table.usedMemory(slot, card),
              holders.get(card)));
    }
    return new CardMap(nodes.name(slot), inventory, cards, unknown, awaiting);
  }

  /** Returns the allocator that keeps the choice with a pod from its decision to its Binding. */
  Allocator planned() {
    return planned;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Optional<Holding> choose(PodEntry pod, int slot) {
    PodCards demand = pod.spec().cards();
    if (demand.isEmpty() || table.count(slot) == 0) {
      return Optional.empty();
    }
    Optional<CardAssignment> assignment =
        assigned(pod, slot).filter(given -> given.answers(demand.requests()));
    boolean isPlanned = CardHolding.plannedFor(pod).isPresent();
    if (assignment.isEmpty() && pod.model().nodeName().isEmpty() && !isPlanned) {
      assignment = chosen(pod, demand, slot);
    }
    CardHolding.Waiting waiting =
        new CardHolding.Waiting(
            table,
            slot,
            demand,
            pod.model().nodeName().isEmpty()
                ? isPlanned ? CardHandout.AHEAD : CardHandout.DONE
                : pod.model().cardHandout());
    return Optional.of(
        assignment
            .<Holding>map(
                given ->
                    new CardHolding.Held(
                        table,
                        slot,
                        HeldCards.of(demand.requests(), table.positions(slot, given)),
                        given,
                        waiting))
            .orElseGet(() -> new CardHolding.Unknown(table, slot, waiting)));
  }

  /** Returns the cards that were assigned to the pod, if they are cards of the node's agent. */
  private Optional<CardAssignment> assigned(PodEntry pod, int slot) {
    if (!pod.model().nodeName().isEmpty()) {
      String agent = table.inventory(slot).agent();
      return pod.model().cards().filter(given -> given.agent().equals(agent));
    }
    return CardHolding.plannedFor(pod);
  }

  /**
   * Returns the model of a pod on a node with the cards that it keeps for its life: those that its
   * annotations named when it was first seen there. Only the node's agent may correct them, if it
   * chooses cards itself, until it has handed them out. Annotations of a running pod can be edited
   * by its owner.
   */
  public PodModel keepingCards(PodEntry known, PodModel model) {
    boolean wasBound = known.model().nodeName().equals(model.nodeName());
    if (wasBound) {
      return follows(model) || known.model().cardHandout() == CardHandout.DONE
          ? withCards(model, known.model().cards())
          : model;
    }
    return model;
  }

  /**
   * Returns the cards that were chosen for a pod which is bound to this node now; empty if none
   * were, or if the node's agent chooses itself.
   */
  public Optional<CardAssignment> chosenFor(PodEntry known, PodModel model) {
    return follows(model) && known.slot() == nodes.slotOf(model.nodeName())
        ? assignmentOf(known)
        : Optional.empty();
  }

  /** Returns the model with these cards, if they are cards of its node that answer its requests. */
  public PodModel withCards(PodModel model, Optional<CardAssignment> cards) {
    int slot = nodes.slotOf(model.nodeName());
    return cards
        .filter(
            kept ->
                slot >= 0
                    && kept.agent().equals(table.inventory(slot).agent())
                    && kept.answers(model.spec().cards().requests()))
        .map(kept -> model.withCards(Optional.of(kept)))
        .orElse(model);
  }

  private boolean follows(PodModel model) {
    int slot = nodes.slotOf(model.nodeName());
    return slot >= 0 && table.inventory(slot).order() == CardInventory.Order.FREE;
  }

  private Optional<CardAssignment> chosen(PodEntry pod, PodCards demand, int slot) {
    CardRules by = rules.apply(pod.model());
    table.read(slot, free);
    return chooser.choose(free, demand, by.choice(), worth(by), freeMilliCpu(slot))
        ? Optional.of(chooser.assignment(table.inventory(slot)))
        : Optional.empty();
  }
}
