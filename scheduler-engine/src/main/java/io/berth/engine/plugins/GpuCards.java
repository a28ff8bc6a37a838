package io.berth.engine.plugins;

import io.berth.engine.cards.CardChooser;
import io.berth.engine.cards.CardRules;
import io.berth.engine.cards.CardTable;
import io.berth.engine.cards.CardWorth;
import io.berth.engine.cards.FreeCards;
import io.berth.engine.framework.Change;
import io.berth.engine.framework.Cure;
import io.berth.engine.framework.FilterPlugin;
import io.berth.engine.framework.GroupRoom;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.PodShape;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.model.CardHandout;
import io.berth.engine.model.CardInventory;
import io.berth.engine.model.CardRequest;
import io.berth.engine.model.PodCards;
import io.berth.engine.model.PodModel;
import io.berth.engine.state.ClusterState;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Rejects nodes without the requested GPU cards, or without enough free capacity on them.
 *
 * <p>A node may also report the sum of its cards, such as milli-gpu, as an extended resource. Its
 * kubelet compares that with the sum of all requests, as for any other, so the filter does, too:
 * the sums can differ from the free cards after cards have gone whose pods still run.
 *
 * <p>If the cards of a node are not described, whole cards are only counted, like any extended
 * resource, and NodeResourcesFit decides.
 */
public record GpuCards() implements FilterPlugin {
  record Question(PodCards demand) {}

  @Override
  public String name() {
    return "GpuCards";
  }

  @Override
  public Optional<NodeFilter> filterFor(PodShape shape, ClusterState state) {
    if (shape.spec().cards().isEmpty()) {
      return Optional.empty();
    }
    Question question = new Question(shape.spec().cards());
    return Optional.of(state.answers().acquire(question, () -> new Answer(question, state)));
  }

  @Override
  public Cure cureBy(Change change) {
    return switch (change) {
      case Change.NodeChanged node ->
          Cure.when(node.before() == null || !node.before().cards().equals(node.after().cards()));
      case Change.PodGone pod -> Cure.when(!pod.pod().spec().cards().isEmpty());
      case Change.PodChanged(PodModel before, PodModel after) ->
          after.spec().cards().isEmpty()
              ? Cure.none()
              : Cure.of((shape, state) -> freesCards(before, after, state));
      case Change.SelfChanged self -> Cure.all();
      default -> Cure.none();
    };
  }

  /** Returns whether the pod's cards have changed, or its node's agent can accept another pod. */
  private static boolean freesCards(PodModel before, PodModel after, ClusterState state) {
    boolean wasThere = !before.nodeName().isEmpty();
    if (wasThere && !before.cards().equals(after.cards())) {
      return true;
    }
    int slot = state.nodes().slotOf(after.nodeName());
    return slot >= 0
        && state.cards().table().inventory(slot).atOnce() != CardInventory.AtOnce.ANY
        && after.cardHandout() != CardHandout.AHEAD
        && (after.cardHandout() != before.cardHandout() || !wasThere);
  }

  private static final class Answer extends NodeFilter implements GroupRoom, VerdictFigures {
    private final PodCards demand;
    private final CardTable table;
    private final CardChooser chooser;
    private final CardWorth worth;
    private final FreeCards free = new FreeCards();
    private final int none;
    private final int unreadable;
    private final int otherAgent;
    private final int unknown;
    private final int busy;
    private final int otherModels;
    private final int tooFew;
    private final int taken;

    Answer(Question question, ClusterState state) {
      super(question, state, state.nodes().capacityLog());
      this.demand = question.demand();
      this.table = state.cards().table();
      this.chooser = new CardChooser(table);
      // If cards fit, they fit by any rules.
      this.worth = state.cards().worth(CardRules.defaults());
      this.none = idOf(Verdict.unresolvable("node(s) had no GPU cards that can be shared"));
      this.unreadable =
          idOf(
              Verdict.unresolvable("node(s) had a description of GPU cards that cannot be parsed"));
      this.otherAgent =
          idOf(
              Verdict.unresolvable(
                  "node(s) had no GPU agent for the resources that the pod requests"));
      this.busy =
          idOf(Verdict.momentary("node(s) had a GPU agent that must first serve another pod"));
      this.unknown = idOf(Verdict.unresolvable("node(s) had a pod whose GPU cards are unknown"));
      this.otherModels =
          idOf(
              Verdict.unresolvable(
                  "node(s) had no GPU card of the models "
                      + String.join(", ", new TreeSet<>(demand.models()))));
      this.tooFew =
          idOf(Verdict.unresolvable("node(s) had too few or too small GPU cards for the pod"));
      this.taken = idOf(Verdict.unschedulable("Insufficient free GPU cards"));
    }

    @Override
    public Optional<Verdict> rejectsPod() {
      return demand.problem().map(Verdict::unresolvable);
    }

    /**
     * Returns the version of the card rules: they determine the cards that nominated pods would
     * get, and so the remaining ones.
     */
    @Override
    public long otherInputsVersion() {
      return state.cards().rulesVersion();
    }

    @Override
    protected int check(int slot) {
      CardInventory inventory = table.inventory(slot);
      if (inventory.problem().isPresent()) {
        return unreadable;
      }
      if (!demand.suits(inventory.agent())) {
        return inventory.agent().isEmpty() && demand.asksForShares() ? none : otherAgent;
      }
      if (table.count(slot) == 0) {
        return demand.asksForShares() || !demand.models().isEmpty() ? none : PASSES;
      }
      if (table.isClosed(slot)) {
        return unknown;
      }
      table.read(slot, free);
      if (table.roomOfSums(slot, demand) > 0 && canChoose()) {
        return table.isBusy(slot, demand) ? busy : PASSES;
      }
      free.empty();
      if (table.mayHoldSums(slot, demand) && canChoose()) {
        return taken;
      }
      return table.hasModelOf(slot, demand.models()) ? tooFew : otherModels;
    }

    @Override
    public Optional<GroupRoom> groupRoom() {
      return Optional.of(this);
    }

    @Override
    public int room(int slot) {
      if (table.count(slot) == 0) {
        return Integer.MAX_VALUE;
      }
      table.read(slot, free);
      return Math.min(table.roomOfSums(slot, demand), chooser.room(free, demand));
    }

    @Override
    public String figures(int slot) {
      if (table.inventory(slot).problem().isPresent() || table.count(slot) == 0) {
        return "";
      }
      table.read(slot, free);
      int unused = 0;
      for (int card = 0; card < free.size(); card++) {
        unused += free.isUntouched(card) ? 1 : 0;
      }
      return "asks for %s; of %d cards, %d are unused, and %d thousandths of a card are free on all"
          .formatted(
              demand.requests().stream().map(Answer::text).collect(Collectors.joining(", ")),
              free.size(),
              unused,
              free.total());
    }

    private static String text(CardRequest request) {
      if (request.isWhole()) {
        return request.cards() + " whole cards";
      }
      String memory =
          request.memoryPercent() > 0
              ? request.memoryPercent() + " % of its memory"
              : request.memoryMebibytes() + " MiB";
      return "%d thousandths and %s of each of %d cards"
          .formatted(request.milliCores(), memory, request.cards());
    }

    private boolean canChoose() {
      return chooser.choose(free, demand, CardRules.Choice.BEST_FIT, worth, 0);
    }
  }
}
