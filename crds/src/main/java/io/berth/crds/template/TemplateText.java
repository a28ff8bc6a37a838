package io.berth.crds.template;

/**
 * Schema descriptions of the fields that all templated parts have, and the patterns of templated
 * strings.
 */
final class TemplateText {

  /**
   * The pattern for a template in place of a fixed value: an interpolation somewhere in the string.
   */
  private static final String OR_TEMPLATE = "|.*(\\$\\{|\\{\\{).*)$";

  static final String IF =
      "Whether this part is kept: a template that renders true or false, such as ${UseSpot} or"
          + " ${Tier == \"gold\"}. False drops it. Absent: kept.";
  static final String SELECTOR_OPERATOR = "^(In|NotIn|Exists|DoesNotExist" + OR_TEMPLATE;
  static final String NODE_OPERATOR = "^(In|NotIn|Exists|DoesNotExist|Gt|Lt" + OR_TEMPLATE;
  static final String TOLERATION_OPERATOR = "^(Exists|Equal|Lt|Gt" + OR_TEMPLATE;
  static final String TAINT_EFFECT = "^(NoSchedule|PreferNoSchedule|NoExecute" + OR_TEMPLATE;
  static final String UNSATISFIABLE = "^(DoNotSchedule|ScheduleAnyway" + OR_TEMPLATE;
  static final String INCLUSION = "^(Honor|Ignore" + OR_TEMPLATE;

  private TemplateText() {}
}
