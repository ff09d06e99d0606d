"""A release: its claims, and every clause of own:certificate with the pages that it points to."""

from fractions import Fraction

from opinion import certificate as forms
from opinion import charge, form, schema
from opinion.exact import exp_down, exp_up, need, normal_excess_down, root_up
from opinion.form import Record, positive

JACOBIAN_PRICE = Fraction(321, 256)  # above √(π/2): own:gaussian-tilt


class Lattice:
    """A law of noise on the lattice of step g: its scale in real units, and whom it serves."""

    def __init__(self, noise):
        self.law, body = noise
        need(-1022 <= body.exponent <= 970, "lattice steps are normal numbers", "own:lattice")
        self.step = Fraction(2) ** body.exponent
        if self.law == "discrete-laplace":
            need(body.denominator > 0, "lattice steps are normal numbers", "own:lattice")
            steps = Fraction(body.numerator, body.denominator)
        else:
            steps = Fraction(body.steps)
        self.scale = steps * self.step
        self.pure = self.law != "rounded-normal"
        self.norm = 1 if self.law == "discrete-laplace" else 2

    def covers(self, moved, dimension, share, norm=2):
        """Noise pays for points that are `moved` apart in this norm, before they are rounded to the lattice."""
        d, available = Fraction(dimension), share * self.scale
        if self.norm == 1:
            left = available - d * self.step
            return left >= 0 and (moved if norm == 1 else moved * moved * d) <= (left if norm == 1 else left * left)
        left = available - moved
        return left >= 0 and d * self.step**2 <= left * left

    def holds(self, reach):
        return reach + 64 * self.scale <= 2**53 * self.step

    def has(self, point):
        return all((x / self.step).denominator == 1 and abs(x) <= 2**53 * self.step for x in point)

    def cuts(self, point, reach):
        return all(abs(x) <= reach + 1024 * self.scale + 3 * self.step for x in point)


class Check:
    """The clauses of one certificate, in the order of the page. The first that does not hold is raised."""

    def __init__(self, certificate):
        self.it, self.problem = certificate, certificate.problem
        self.name, self.body = certificate.mechanism
        kind, body = self.problem.loss
        self.loss = charge.Loss(kind, body.delta if kind == "huber" else None, self.problem.target)
        self.changed = 1 if certificate.neighbours == "add-remove" else 2
        self.kind, self.total = certificate.ledger.total
        self.pure = self.kind == "pure" or certificate.ledger.converted is not None
        self.d, self.bound = self.problem.dimension, self.problem.parameter_bound
        self.claims = {("own:budget-split", "proved"), ("own:lattice", "proved"), ("assumptions:randomness", "assumed")}
        of_the_loss = "tested" if self.loss.built_in else "assumed"
        self.claims |= {("own:losses", of_the_loss), ("own:objective", of_the_loss)}
        self.given = []  # what is not checkable here and taken as given

    def run(self):
        self.form()
        self.ledger()
        self.of_a_person()
        self.of_the_problem()
        {"output": self.output, "objective": self.objective, "noisy-gradient": self.descent, "posterior": self.posterior}[self.name]()
        self.choice()
        self.of_the_claims()

    def proved(self, *pages):
        self.claims |= {(page, "proved") for page in pages}

    def noise(self, noise):
        lattice = Lattice(noise)
        self.proved(f"own:{lattice.law}")
        return lattice

    def form(self):
        need(len(self.it.theta) == self.d, "points have the dimension of the problem")
        numerics = "rigorous"
        if self.name == "posterior" and self.body.sampler == "mala":
            numerics = "asymptotic-constants" if self.body.calibration == "paper" else "real-arithmetic-only"
        need(self.it.numerics == numerics, "numerics are those of the mechanism")
        certified = self.loss.built_in and numerics != "asymptotic-constants"
        need(self.it.certified == certified, "certified says whether a constant is asymptotic or a user's")

    def ledger(self):
        ledger = self.it.ledger
        names = {"output": ["output"], "posterior": ["localise", "posterior", "asap"], "noisy-gradient": ["gradients"]}.get(self.name)
        if self.name == "objective":
            priced = self.pure and self.body.price != "free"
            names = ["tilt", "jacobian", "asap"] if priced else ["tilt", "asap"]
        need([share.name for share in ledger.shares] == names, "shares are those of the mechanism", "own:budget-split")
        spent = [share.spent for share in ledger.shares]
        need(positive(self.total, *spent), "shares are positive", "own:budget-split")
        if ledger.converted is not None:
            need(self.kind == "gaussian", "shares are those of the mechanism", "own:budget-split")
            need(converts(ledger.converted, self.total), "converted ε is at most ln(Φ(μ/2)/Φ(−μ/2))", "lem:convert_pure_G_DP")
            self.proved("lem:convert_pure_G_DP")
            within = sum(spent) <= ledger.converted
        elif self.pure:
            within = sum(spent) <= self.total
        else:
            within = sum(share**2 for share in spent) <= self.total**2
        need(within, "shares spend at most the total", "own:budget-split")
        self.spent = dict(zip(names, spent))

    def of_a_person(self):
        """The ledger is about a row; k of them may be one person's (own:persons)."""
        person, page = self.it.person, "own:persons"
        if person is None:
            return
        need(person.rows >= 1, "a person has at least one row", page)
        kind, total = person.total
        within = kind == self.kind and person.rows * self.total <= total
        need(within, "the rows of a person spend at most what a person is promised", page)
        self.proved(page)

    def of_the_problem(self):
        problem = self.problem
        need(self.loss.delta is None or self.loss.delta > 0, "loss has its parameters", "own:losses")
        weights = problem.class_weights
        if weights is not None:
            small = all(0 < weight <= 1 for weight in weights) and problem.loss[0] == "logistic"
            need(small, "classes weigh at most 1, of a loss that has classes", "own:class-weights")
            self.proved("own:class-weights")
        need(problem.regulariser > 0, "regulariser is positive", "own:losses")
        bounds = [problem.feature_norm, problem.target, problem.max_rows] + ([] if self.bound is None else [self.bound])
        need(positive(*bounds), "bounds are positive", "own:losses")
        need(1 <= self.d <= 2**23 - 3, "dimension is small enough for computed norms", "own:losses")
        if problem.shape is not None:
            self.of_the_shape()
        squares = (problem.feature_norm * charge.SLACK) ** 2 + problem.intercept
        need(problem.row_norm > 0 and squares <= problem.row_norm**2, "row norm covers features and intercept", "own:losses")
        if self.name != "output":
            rows = self.body.expected_rows
            need(1 <= rows <= problem.max_rows, "expected rows are between 1 and the most")
        self.sums = charge.Sums(problem, self.loss)

    def of_the_shape(self):
        page, blocks = "own:shaped-tilt", self.problem.shape
        columns = sum(body.columns for _, body in blocks)
        full = blocks and all(body.columns > 0 for _, body in blocks) and columns + self.problem.intercept == self.d
        need(full, "blocks have all columns", page)
        need(all(kind == "cube" or body.bound > 0 for kind, body in blocks), "blocks have all columns", page)
        squares = sum(body.columns if kind == "cube" else body.bound**2 for kind, body in blocks)
        need(squares <= self.problem.feature_norm**2, "feature norm covers the blocks", page)

    def lipschitz(self, constant, reach, clause):
        """c·ρ·S <= G; of a user's loss the constant is the author's word."""
        row = self.problem.row_norm
        covered = constant > 0
        if self.loss.built_in:
            covered = self.changed * row * self.loss.slope(row * reach) <= constant
        need(covered, clause, "own:losses")

    def minimiser(self, it):
        problem, regulariser = self.problem, self.problem.regulariser
        within = it.bound > 0 and self.bound is not None and self.bound <= it.bound
        if it.bound > 0 and not within:
            within = not self.loss.built_in or 2 * problem.max_rows * self.loss.at_zero_up() <= regulariser * it.bound**2
        need(within, "minimiser bound holds every minimiser", "lem:sensitivity_minimizer")
        self.lipschitz(it.lipschitz, it.bound, "Lipschitz constant where the minimisers are")
        enough = 0 < it.tolerance and 0 <= 2 * it.rounding <= it.tolerance
        need(enough, "tolerance is above twice the rounding", "own:certified-minimiser")
        if self.loss.built_in:
            reach = 3 * it.bound + it.tolerance
            units = 8 if self.bound is None else 8 * (self.d + 16)
            updates = units * 2 * charge.U * reach * self.sums.smoothness
            asked = (1 + Fraction(1, 2**20)) * (self.sums.gradient_error(reach) + updates)
            clause = "rounding covers the sums of the largest data set and the updates"
            need(asked <= it.rounding * regulariser, clause, "own:certified-minimiser")
        else:
            self.given.append("rounding of the minimiser")
        covered = it.lipschitz + 2 * it.tolerance * regulariser <= it.sensitivity * regulariser
        need(covered, "sensitivity covers G/Λ + 2τ", "lem:sensitivity_minimizer")
        self.proved("own:certified-minimiser", "lem:sensitivity_minimizer", "lem:OutPert_DP")

    def noisy_minimiser(self, it, noise, point, share):
        lattice = self.noise(noise)
        need(lattice.pure == self.pure, "noise of the minimiser is of the kind of the guarantee", "lem:OutPert_DP")
        covered = lattice.covers(it.sensitivity, self.d, share)
        need(covered, "noise of the minimiser covers its sensitivity and the rounding", "lem:OutPert_DP")
        need(lattice.holds(it.bound), "lattice of the minimiser holds it and 64 scales of noise", "own:lattice")
        need(lattice.has(point), "noisy minimiser is on its lattice", "own:lattice")
        within = lattice.cuts(point, it.bound)
        need(within, "noisy minimiser is within 1024 scales of where minimisers are", "own:lattice")

    def output(self):
        self.minimiser(self.body.minimiser)
        self.noisy_minimiser(self.body.minimiser, self.body.noise, self.it.theta, self.spent["output"])

    def last_stage(self, it, reach, part):
        """thm:asap_privacy: noise that covers the error, and rounding that is a part of it."""
        lattice = self.noise(it.noise)
        need(lattice.holds(reach), "lattice of θ̂ holds the ball and 64 scales of noise", "own:lattice")
        need(it.error > 0, "error is positive", "thm:asap_privacy")
        need(it.charge >= 0, "charge is not negative", "thm:asap_privacy")
        if self.it.numerics == "rigorous":
            need(part * it.charge <= it.error, "charge for rounding is at most its part of the error", "own:rounding")
        need(lattice.pure == self.pure, "noise of the sample is of the kind of the guarantee", "thm:asap_privacy")
        need(it.norm == lattice.norm, "error is in the norm of its noise", "thm:asap_privacy")
        covered = lattice.covers(2 * it.error, self.d, self.spent["asap"], norm=it.norm)
        need(covered, "noise of the sample covers twice the error and the rounding", "thm:asap_privacy")
        need(lattice.has(self.it.theta), "θ̂ is on its lattice", "own:lattice")
        self.proved("thm:asap_privacy", "lem:adaptive_composition")

    def posterior(self):
        body, reference = self.body, self.body.reference
        theta_0 = body.localisation.theta_0
        need(len(theta_0) == self.d, "points have the dimension of the problem")
        self.minimiser(body.minimiser)
        self.noisy_minimiser(body.minimiser, body.localisation.noise, theta_0, self.spent["localise"])
        norm = reference.centre_norm
        need(norm >= 0 and sum(x * x for x in theta_0) <= norm**2, "centre norm covers θ_0", "own:ball")
        need(reference.radius > 0, "radius is positive", "own:ball")
        reach = norm + reference.radius
        self.lipschitz(reference.lipschitz, reach, "Lipschitz constant on the ball")
        need(reference.gamma > 0, "gamma is positive")
        if self.pure:
            cold = 2 * reference.gamma * reference.lipschitz * reference.radius <= self.spent["posterior"]
            need(cold, "2γGB is at most ε", "lem:pure_DP_Post_Sam")
            self.proved("lem:pure_DP_Post_Sam")
        else:
            cold = reference.gamma * reference.lipschitz**2 <= self.spent["posterior"] ** 2 * self.problem.regulariser
            need(cold, "γG² is at most μ²Λ", "lem:GDP_Post_Sam")
            self.proved("lem:GDP_Post_Sam")
        self.last_stage(body.asap, reach, 4)
        self.charge_of_the_samplers(body, reference)
        self.proved("own:proximal", "own:truncated")
        if body.sampler == "mala":
            self.proved("lem:W_infty_TV")
            self.claims |= {("lem:equiv_W_infty", "assumed"), ("assumptions:idealized-numerics", "assumed")}
            self.claims.add(("own:conductance", "assumed" if body.calibration == "paper" else "proved"))
            self.given.append("error Δ of the chain")
        else:
            self.proved("own:rounding", *(["own:exact"] if body.sampler == "exact" else []))

    def charge_of_the_samplers(self, body, reference):
        if self.it.numerics != "rigorous":
            return
        if not self.loss.built_in:
            self.given.append("charge for rounding")
            return
        draw = charge.Draw(self.sums, reference.gamma, reference.centre_norm, reference.radius)
        asked = draw.proximal()
        if body.sampler == "exact" and self.d <= 512:
            asked = max(asked, draw.exact())
        factor = self.d if body.asap.norm == 1 else 1
        covered = asked**2 * factor <= body.asap.charge**2
        need(covered, "charge covers the rounding of every sampler that may draw", "own:rounding")

    def objective(self):
        body, problem, page = self.body, self.problem, "own:objective-perturbation"
        need(body.radius > 0, "radius is positive", "own:ball")
        need(self.bound is None or body.radius == self.bound, "search is in the ball of the parameter bound", page)
        self.lipschitz(body.lipschitz, body.radius, "Lipschitz constant on the ball")
        least = self.loss.curvature * problem.row_norm**2 if self.loss.built_in else 0
        need(body.smoothness > 0 and body.smoothness >= least, "smoothness of the loss", "own:losses")
        blocks = self.blocks()
        self.proved(page, "own:certified-minimiser")
        if self.pure:
            self.pure_tilt(blocks)
        else:
            self.gaussian_tilt(blocks)
        if body.price != "apart":
            self.proved("own:joint-price")
        need(body.asap.norm == 2, "error is in the 2-norm", page)
        self.last_stage(body.asap, body.radius, 2)
        if self.loss.built_in:
            asked = charge.tilted(self.sums, body.radius, [(columns, step) for columns, _, _, step in blocks])
            clause = "charge covers the gradients of the largest data set, the tilt's lattice and the updates"
            need(asked <= body.asap.charge * problem.regulariser, clause, "own:rounding")
        else:
            self.given.append("charge for rounding")

    def blocks(self):
        """The tilt as a list of (columns, square of the longest row's part, scale, lattice step); pure:
        in the norm of the law."""
        clause = "tilt has a law of the kind of the guarantee in the 2-norm, or for each block"
        page = "own:objective-perturbation"
        row = self.problem.row_norm
        if not isinstance(self.body.tilt, list):
            lattice = self.noise(self.body.tilt)
            need(lattice.norm == 2 and lattice.pure == self.pure, clause, page)
            need(lattice.scale > 0, clause, page)
            return [(self.d, row**2, lattice.scale, lattice.step)]
        need(self.problem.shape is not None, clause, page)
        self.proved("own:shaped-tilt")
        cubes = sum(body.columns for kind, body in self.problem.shape if kind == "cube") + self.problem.intercept
        expected = [(cubes, "cube-laplace", Fraction(1 if self.pure else cubes))] if cubes else []
        for kind, body in self.problem.shape:
            if kind != "cube":
                law = "laplace" if kind == "one-norm" else "euclidean-laplace"
                expected.append((body.columns, law, (body.bound * charge.SLACK) ** 2))
        need(len(self.body.tilt) == len(expected), clause, page)
        found = []
        for block, (columns, law, square) in zip(self.body.tilt, expected):
            need(block.columns == columns and block.law == (law if self.pure else "normal"), clause, page)
            need(-1022 <= block.exponent <= 970, "lattice steps are normal numbers", "own:lattice")
            need(block.steps > 0, clause, page)
            step = Fraction(2) ** block.exponent
            if block.law in ("normal", "euclidean-laplace"):
                self.proved("own:rounded-normal" if block.law == "normal" else "own:euclidean-laplace")
            found.append((columns, square, block.steps * step, step))
        return found

    def pure_tilt(self, blocks):
        body, problem, page = self.body, self.problem, "own:objective-perturbation"
        rate = sum((root_up(square) if len(blocks) > 1 or isinstance(body.tilt, list) else problem.row_norm) / scale
                   for _, square, scale, _ in blocks)
        covered = rate * body.lipschitz <= self.spent["tilt"] * problem.row_norm
        need(covered, "tilt covers the Lipschitz constant", page)
        need(body.jacobian is None, "Jacobian is stated once", page)
        if body.price != "apart":
            need(self.loss.kind == "logistic", "slope and curvature of the loss are tied", "own:joint-price")
            jacobian = self.spent.get("jacobian", Fraction(0))
            kappa, one = 4 * body.smoothness / problem.regulariser, self.spent["tilt"] / self.changed
            paid = charge.tied_price(kappa, one, jacobian) if body.price == "tied" else kappa <= one
            need(paid, "price of the Jacobian covers slope and curvature of a record at the same point", "own:joint-price")
        else:
            self.jacobian_covers(self.spent["jacobian"])

    def jacobian_covers(self, jacobian):
        regulariser = self.problem.regulariser
        covered = regulariser + self.body.smoothness <= regulariser * exp_down(jacobian)
        need(covered, "Jacobian covers the smoothness", "own:objective-perturbation")

    def gaussian_tilt(self, blocks):
        body, problem, page = self.body, self.problem, "own:gaussian-tilt"
        self.proved(page)
        need(self.loss.kind in ("logistic", "user"), "slope of the loss keeps its sign", page)
        if not self.loss.built_in:
            self.given.append("slope of the loss keeps its sign")
        free = body.price == "free"
        jacobian = Fraction(0) if body.jacobian is None else body.jacobian
        need(jacobian >= 0 and not (free and body.jacobian is not None), "Jacobian is stated once", "own:objective-perturbation")
        left = self.spent["tilt"] - self.changed * JACOBIAN_PRICE * jacobian  # what k losses may cost
        squares = sum(square / scale**2 for _, square, scale, _ in blocks)
        covered = left > 0 and squares * body.lipschitz**2 <= (left * problem.row_norm) ** 2
        need(covered, "tilt covers the Lipschitz constant", "own:objective-perturbation")
        if body.price == "apart":
            self.jacobian_covers(jacobian)
            return
        need(self.loss.kind == "logistic", "slope and curvature of the loss are tied", "own:joint-price")
        curvature = root_up(sum(square * scale**2 for _, square, scale, _ in blocks)) / problem.regulariser  # K
        m = left / self.changed
        paid = 2 * curvature <= m if free else charge.gaussian_price(m, m * curvature, jacobian)
        need(paid, "price of the Jacobian covers slope and curvature of a record at the same point", "own:joint-price")

    def descent(self):
        body, page = self.body, "own:noisy-gradient"
        schedule = body.skipped < body.steps and body.step > 0 and 0 <= body.momentum < 1
        need(schedule, "schedule is one of a descent", page)
        within = body.radius > 0 and (self.bound is None or body.radius <= self.bound)
        need(within, "ball is positive and within the search", "own:ball")
        need(sum(x * x for x in self.it.theta) <= body.radius**2, "θ̂ is in the ball", "own:ball")
        self.lipschitz(body.lipschitz, body.radius, "Lipschitz constant where gradients are asked for")
        covered = body.rounding >= 0 and body.lipschitz + 2 * body.rounding <= body.sensitivity
        need(covered, "sensitivity covers G and twice the rounding", page)
        if self.loss.built_in:
            covered = self.sums.gradient_error(body.radius) <= body.rounding
            need(covered, "rounding covers a gradient of the largest data set", "own:objective")
        else:
            self.given.append("rounding of the gradients")
        power = 1 if self.pure else 2
        within = body.share > 0 and body.steps * body.share**power <= self.spent["gradients"] ** power
        need(within, "all steps together spend at most their share", "lem:adaptive_composition")
        lattice = self.noise(body.noise)
        of_the_kind = lattice.law == ("euclidean-laplace" if self.pure else "rounded-normal")
        need(of_the_kind, "noise of the gradients is of the kind of the guarantee", page)
        covered = lattice.covers(body.sensitivity, self.d, body.share)
        need(covered, "noise of a gradient covers its sensitivity and the rounding", page)
        self.proved(page, "lem:adaptive_composition")

    def choice(self):
        choice = self.it.choice
        if choice is None:
            return
        names = [one.mechanism for one in choice.compared]
        pairs = [(one.predicted, one.passes) for one in choice.compared]
        known = all((m is None) == (p is None) and (m is None or (m >= 0 and p >= 0)) for m, p in pairs)
        public = 1 <= choice.rows <= self.problem.max_rows and (choice.curvature is None or choice.curvature >= 0)
        once = len(set(names)) == len(names) and choice.pass_price >= 0
        need(known and public and once, "compared mechanisms have predictions or none", "own:auto")
        prices = {one.mechanism: one.predicted + choice.pass_price * one.passes
                  for one in choice.compared if one.predicted is not None}
        least = self.name in prices and prices[self.name] == min(prices.values())
        need(least, "mechanism is the one with the least predicted price", "own:auto")
        if choice.regulariser is not None:
            missed, *others = choice.regulariser.values()
            best = missed >= 0 and all(other is None or missed <= other for other in others)
            need(best, "regulariser misses no more than half or twice of it", "own:auto-regulariser")

    def of_the_claims(self):
        made = [(claim.spec, claim.status) for claim in self.it.claims]
        need(sorted(made) == sorted(self.claims), "claims are those of the mechanism")


def converts(epsilon, mu):
    """e^ε·(½ − q) <= ½ + q, q = Φ(μ/2) − ½ (lem:convert_pure_G_DP)."""
    if not 0 < epsilon <= 64:
        return False  # ε(20) is below 54
    excess = normal_excess_down(min(mu, Fraction(20)) / 2)
    half = Fraction(1, 2)
    return exp_up(epsilon) * (half - excess) <= half + excess


def check(value):
    """A release, as `form.read` gives it: what it says and what is taken as given, or `Refused`."""
    form.version(value, ("certificate", "schema"), forms.VERSION)
    file, _ = forms.FILE(value, "")
    sealed, written = forms.SEALED({"columns": file.columns, "certificate": file.certificate}, "")
    decided = Check(sealed.certificate)
    decided.run()
    schema.check(sealed.columns, sealed.certificate.problem, sealed.certificate.person)
    need(file.digest == form.digest_of(written), "nothing was edited (digest)")
    return Record(sealed, digest=file.digest), decided.given
