package io.berth.sandbox.cel;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelBuilder;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A compiler of CEL expressions over a fixed set of variables. */
public final class Expressions {
  private static final CelOptions OPTIONS =
      CelOptions.current()
          .enableHeterogeneousNumericComparisons(true)
          .enableOptionalSyntax(true)
          .comprehensionMaxIterations(1_000_000)
          .build();

  private final Cel cel;

  private Expressions(Cel cel) {
    this.cel = cel;
  }

  /** Creates a compiler of expressions over these variables. */
  public static Expressions over(Map<String, CelType> variables, Optional<CelTypeProvider> types) {
    CelBuilder builder =
        CelFactory.standardCelBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addCompilerLibraries(
                CelExtensions.strings(), CelExtensions.optional(), CelExtensions.sets(OPTIONS))
            .addRuntimeLibraries(
                CelExtensions.strings(), CelExtensions.optional(), CelExtensions.sets(OPTIONS))
            .addFunctionDeclarations(KubernetesLibrary.declarations())
            .addFunctionBindings(KubernetesLibrary.bindings());
    types.ifPresent(builder::setTypeProvider);
    variables.forEach(builder::addVar);
    return new Expressions(builder.build());
  }

  /**
   * Compiles an expression that must evaluate to the given type.
   *
   * @throws CelValidationException if it does not parse or type-check
   */
  public Expression compile(String text, CelType result) throws CelValidationException {
    CelAbstractSyntaxTree tree = cel.compile(text).getAst();
    if (!result.isAssignableFrom(tree.getResultType())) {
      throw new CelValidationException(
          tree.getSource(),
          List.of(CelIssue.formatError(1, 0, "must evaluate to " + result.name())));
    }
    boolean old =
        tree.getReferenceMap().values().stream()
            .anyMatch(reference -> reference.name().equals("oldSelf"));
    try {
      return new Expression(cel.createProgram(tree), old);
    } catch (CelEvaluationException e) {
      throw new IllegalStateException("a checked expression cannot be planned: " + text, e);
    }
  }

  /**
   * A compiled expression. Safe for use by multiple threads.
   *
   * @param program the executable program
   * @param usesOldSelf whether it refers to the variable {@code oldSelf}
   */
  public record Expression(CelRuntime.Program program, boolean usesOldSelf) {

    /**
     * Evaluates the expression with these variables.
     *
     * @throws CelEvaluationException if evaluation fails, for example because of a missing key or a
     *     division by zero
     */
    public Object evaluate(Map<String, ?> variables) throws CelEvaluationException {
      return program.eval(variables);
    }
  }
}
