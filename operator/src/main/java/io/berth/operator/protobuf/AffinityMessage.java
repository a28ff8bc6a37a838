package io.berth.operator.protobuf;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeAffinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodAffinity;
import io.fabric8.kubernetes.api.model.PodAffinityTerm;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.fabric8.kubernetes.api.model.WeightedPodAffinityTerm;
import java.io.IOException;

/** The protobuf encoding of an Affinity and of selectors. */
final class AffinityMessage {

  private AffinityMessage() {}

  static Affinity read(MessageReader in) throws IOException {
    Affinity affinity = new Affinity();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> affinity.setNodeAffinity(in.message(AffinityMessage::nodes));
        case 2 -> affinity.setPodAffinity(in.message(AffinityMessage::pods));
        case 3 -> affinity.setPodAntiAffinity(in.message(AffinityMessage::otherPods));
        default -> in.skip();
      }
    }
    return affinity;
  }

  private static NodeAffinity nodes(MessageReader in) throws IOException {
    NodeAffinity affinity = new NodeAffinity();
    while (in.next()) {
      switch (in.field()) {
        case 1 ->
            affinity.setRequiredDuringSchedulingIgnoredDuringExecution(
                in.message(AffinityMessage::nodeSelector));
        case 2 ->
            affinity
                .getPreferredDuringSchedulingIgnoredDuringExecution()
                .add(in.message(AffinityMessage::preferredNodes));
        default -> in.skip();
      }
    }
    return affinity;
  }

  private static NodeSelector nodeSelector(MessageReader in) throws IOException {
    NodeSelector selector = new NodeSelector();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> selector.getNodeSelectorTerms().add(in.message(AffinityMessage::nodeTerm));
        default -> in.skip();
      }
    }
    return selector;
  }

  private static PreferredSchedulingTerm preferredNodes(MessageReader in) throws IOException {
    PreferredSchedulingTerm term = new PreferredSchedulingTerm();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> term.setWeight(in.int32());
        case 2 -> term.setPreference(in.message(AffinityMessage::nodeTerm));
        default -> in.skip();
      }
    }
    return term;
  }

  private static NodeSelectorTerm nodeTerm(MessageReader in) throws IOException {
    NodeSelectorTerm term = new NodeSelectorTerm();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> term.getMatchExpressions().add(in.message(AffinityMessage::nodeRequirement));
        case 2 -> term.getMatchFields().add(in.message(AffinityMessage::nodeRequirement));
        default -> in.skip();
      }
    }
    return term;
  }

  private static NodeSelectorRequirement nodeRequirement(MessageReader in) throws IOException {
    NodeSelectorRequirement requirement = new NodeSelectorRequirement();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> requirement.setKey(in.text());
        case 2 -> requirement.setOperator(in.text());
        case 3 -> requirement.getValues().add(in.text());
        default -> in.skip();
      }
    }
    return requirement;
  }

  private static PodAffinity pods(MessageReader in) throws IOException {
    PodAffinity affinity = new PodAffinity();
    while (in.next()) {
      switch (in.field()) {
        case 1 ->
            affinity
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .add(in.message(AffinityMessage::podTerm));
        case 2 ->
            affinity
                .getPreferredDuringSchedulingIgnoredDuringExecution()
                .add(in.message(AffinityMessage::preferredPods));
        default -> in.skip();
      }
    }
    return affinity;
  }

  private static PodAntiAffinity otherPods(MessageReader in) throws IOException {
    PodAntiAffinity affinity = new PodAntiAffinity();
    while (in.next()) {
      switch (in.field()) {
        case 1 ->
            affinity
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .add(in.message(AffinityMessage::podTerm));
        case 2 ->
            affinity
                .getPreferredDuringSchedulingIgnoredDuringExecution()
                .add(in.message(AffinityMessage::preferredPods));
        default -> in.skip();
      }
    }
    return affinity;
  }

  private static WeightedPodAffinityTerm preferredPods(MessageReader in) throws IOException {
    WeightedPodAffinityTerm term = new WeightedPodAffinityTerm();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> term.setWeight(in.int32());
        case 2 -> term.setPodAffinityTerm(in.message(AffinityMessage::podTerm));
        default -> in.skip();
      }
    }
    return term;
  }

  private static PodAffinityTerm podTerm(MessageReader in) throws IOException {
    PodAffinityTerm term = new PodAffinityTerm();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> term.setLabelSelector(in.message(AffinityMessage::labels));
        case 2 -> term.getNamespaces().add(in.text());
        case 3 -> term.setTopologyKey(in.text());
        case 4 -> term.setNamespaceSelector(in.message(AffinityMessage::labels));
        case 5 -> term.getMatchLabelKeys().add(in.text());
        case 6 -> term.getMismatchLabelKeys().add(in.text());
        default -> in.skip();
      }
    }
    return term;
  }

  static LabelSelector labels(MessageReader in) throws IOException {
    LabelSelector selector = new LabelSelector();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> in.entry(selector.getMatchLabels());
        case 2 -> selector.getMatchExpressions().add(in.message(AffinityMessage::requirement));
        default -> in.skip();
      }
    }
    return selector;
  }

  private static LabelSelectorRequirement requirement(MessageReader in) throws IOException {
    LabelSelectorRequirement requirement = new LabelSelectorRequirement();
    while (in.next()) {
      switch (in.field()) {
        case 1 -> requirement.setKey(in.text());
        case 2 -> requirement.setOperator(in.text());
        case 3 -> requirement.getValues().add(in.text());
        default -> in.skip();
      }
    }
    return requirement;
  }
}
