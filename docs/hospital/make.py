"""Makes the admissions of a hospital that does not exist: python3 make.py admissions.csv

Patients come back, sepsis is rare, a diagnosis is one of three. The same file on every machine.
"""

import random
import sys

DIAGNOSES = ["pneumonia", "fracture", "diabetes"]


def admissions(patients: int = 12000):
    chance, other = random.Random(20261117), random.Random(20261118)
    for patient in range(patients):
        age = min(99, max(18, round(chance.gauss(58, 18))))
        diagnosis = chance.choices(DIAGNOSES, weights=[3, 5, 4])[0]
        # One admission mostly, five and more for a few: those who come back are those who are ill.
        visits = 1 + min(9, int(chance.expovariate(0.7)))
        for _ in range(visits):
            crp = min(400.0, chance.lognormvariate(2.2, 1.0) * (3.0 if diagnosis == "pneumonia" else 1.0))
            lactate = min(12.0, chance.lognormvariate(0.3, 0.4))
            risk = -4.7 + 0.022 * (age - 58) + 0.014 * crp + 0.9 * (lactate - 1.4) + (1.2 if diagnosis == "pneumonia" else 0.0)
            glucose = min(30.0, other.lognormvariate(1.7 + (0.6 if diagnosis == "diabetes" else 0.0), 0.25))
            ill = chance.random() < 1 / (1 + 2.718281828459045 ** -risk)
            yield f"H{patient:05d},{age},{diagnosis},{crp:.1f},{lactate:.2f},{glucose:.1f},{'yes' if ill else 'no'}"


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print("patient,age,diagnosis,crp,lactate,glucose,sepsis", file=file)
        for row in admissions():
            print(row, file=file)
