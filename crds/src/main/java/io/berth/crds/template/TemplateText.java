package io.berth.crds.template;

/**
 * Schema descriptions of the fields that all templated parts share, and patterns of templated
 * strings.
 */
final class TemplateText {

  /**
   * The alternative that accepts a template instead of a fixed value: any string that contains an
   * interpolation.
   */
  private static final String OR_TEMPLATE = "|.*(\\$\\{|\\{\\{).*)$";

  static final String IF =
      "Specifies whether this part is rendered: a template that yields true or false, such as"
          + " ${UseSpot} or ${Tier == \"gold\"}. If false, the part is omitted. Defaults to true.";
  static final String SELECTOR_OPERATOR = "^(In|NotIn|Exists|DoesNotExist" + OR_TEMPLATE;
  static final String NODE_OPERATOR = "^(In|NotIn|Exists|DoesNotExist|Gt|Lt" + OR_TEMPLATE;
  static final String TOLERATION_OPERATOR = "^(Exists|Equal|Lt|Gt" + OR_TEMPLATE;
  static final String TAINT_EFFECT = "^(NoSchedule|PreferNoSchedule|NoExecute" + OR_TEMPLATE;
  static final String UNSATISFIABLE = "^(DoNotSchedule|ScheduleAnyway" + OR_TEMPLATE;
  static final String INCLUSION = "^(Honor|Ignore" + OR_TEMPLATE;

  private TemplateText() {}
}
