package io.berth.webhook.template;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import freemarker.core.SyntaxNode;
import freemarker.core.SyntaxTree;
import freemarker.template.Configuration;
import freemarker.template.Template;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The FreeMarker internals that Berth depends on. If an upgrade fails here, review the allow-list.
 */
class FreeMarkerContractTest {

  private static final Set<String> ALLOWED =
      Set.of(
          "AddConcatExpression",
          "AndExpression",
          "ArithmeticExpression",
          "BooleanLiteral",
          "ComparisonExpression",
          "DefaultToExpression",
          "DollarVariable",
          "Dot",
          "DynamicKeyName",
          "ExistsExpression",
          "Identifier",
          "MethodCall",
          "MixedContent",
          "NotExpression",
          "NumberLiteral",
          "OrExpression",
          "ParentheticalExpression",
          "StringLiteral",
          "TextBlock",
          "UnaryPlusMinusExpression");

  private static final Set<String> REFUSED =
      Set.of(
          "Assignment",
          "AssignmentInstruction",
          "AttemptBlock",
          "AutoEscBlock",
          "BlockAssignment",
          "BodyInstruction",
          "BreakInstruction",
          "BuiltinVariable",
          "Case",
          "Comment",
          "CompressedBlock",
          "ConditionalBlock",
          "ContinueInstruction",
          "DebugBreak",
          "DotBeforeMethodCall",
          "DynamicKeyNameBeforeMethodCall",
          "ElseOfList",
          "EscapeBlock",
          "ExpressionWithFixedResult",
          "FallbackInstruction",
          "FlushInstruction",
          "HashLiteral",
          "IfBlock",
          "Include",
          "Items",
          "IteratorBlock",
          "LibraryLoad",
          "ListElseContainer",
          "ListLiteral",
          "LocalLambdaExpression",
          "Macro",
          "NoAutoEscBlock",
          "NoEscapeBlock",
          "NumericalOutput",
          "On",
          "OutputFormatBlock",
          "PropertySetting",
          "Range",
          "RecoveryBlock",
          "RecurseNode",
          "ReturnInstruction",
          "Sep",
          "StopInstruction",
          "SwitchBlock",
          "TransformBlock",
          "TrimInstruction",
          "UnifiedCall",
          "VisitNode");

  @Test
  void everyKindOfNode_isEitherOnTheAllowListOrKnownToBeRefused() {
    JavaClasses classes =
        new ClassFileImporter().importPackagesOf(freemarker.core.Environment.class);
    Set<String> kinds =
        classes.stream()
            .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
            .filter(
                type ->
                    type.isAssignableTo("freemarker.core.Expression")
                        || type.isAssignableTo("freemarker.core.TemplateElement"))
            .filter(type -> !type.isAssignableTo("freemarker.core.BuiltIn"))
            .filter(type -> type.getPackageName().equals("freemarker.core"))
            .filter(JavaClass::isTopLevelClass)
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> known = new TreeSet<>(ALLOWED);
    known.addAll(REFUSED);

    assertThat(kinds).isEqualTo(known);
  }

  @Test
  void thePinnedVersion_isTheOneThatWasLookedAt() {
    assertThat(Configuration.getVersion()).hasToString("2.3.35");
  }

  @Test
  void thePartsOfANodeComeInTheOrderThatTheReaderExpects() throws IOException {
    assertThat(parsed("${a!b}")).hasToString(node("DefaultToExpression", "a", "b"));
    assertThat(parsed("${a == b}")).hasToString(node("ComparisonExpression", "a", "b"));
    assertThat(parsed("${a - b}").parts().subList(0, 2))
        .hasToString(List.of(name("a"), name("b")).toString());
    assertThat(parsed("${a.b}").parts()).hasToString(List.of(name("a"), "b").toString());
    assertThat(parsed("${a[b]}")).hasToString(node("DynamicKeyName", "a", "b"));
    assertThat(parsed("${a?then(b, c)}").parts())
        .hasToString(List.of(name("a"), "then", name("b"), name("c")).toString());
    SyntaxNode call = parsed("${a?starts_with(b)}");
    assertThat(call.type()).isEqualTo("MethodCall");
    assertThat(call.parts().getFirst()).isInstanceOf(SyntaxNode.class);
    assertThat(call.parts().getLast()).hasToString(name("b").toString());
  }

  private static SyntaxNode parsed(String template) throws IOException {
    SyntaxNode root =
        SyntaxTree.of(new Template("t", template, new Configuration(Configuration.VERSION_2_3_35)));
    return (SyntaxNode) root.parts().getFirst();
  }

  private static String node(String type, String left, String right) {
    String symbol =
        switch (type) {
          case "DefaultToExpression" -> "...!...";
          case "ComparisonExpression" -> "==";
          default -> "...[...]";
        };
    return new SyntaxNode(type, symbol, List.of(name(left), name(right))).toString();
  }

  private static SyntaxNode name(String name) {
    return new SyntaxNode("Identifier", name, List.of(name));
  }
}
